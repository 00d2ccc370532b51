// Keys and certificates for mutual TLS: a small certificate authority, and what a server or a client asks of the files
// it is given. Only in builds with OpenSSL (target pollen_keys).
//
//   make_keys({.folder = "keys", .server = "hub.example.org", .clients = {"hospital-a", "hospital-b"}});
//   const std::string key = read_key_file("keys/hospital-a.key");
//   check_pair("keys/hospital-a.pem", "keys/hospital-a.key");
//   check_issued_by("keys/hospital-a.pem", "keys/ca.pem", KeyRole::client);
//
// ConfigError where a name, a file or what is in it is wrong; IoError where the machine fails. Paths are named in both.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace pollen {

using KeyClock = std::chrono::system_clock;

enum class KeyRole { authority, server, client };

struct KeyRequest {
  static constexpr int kMostDays = 3650;    // what an authority lasts; nothing it signs outlives it
  std::string folder = {};                  // made, for its owner alone, where it is not there; its parent must be
  std::string server = {};                  // may be empty where the folder has an authority already
  std::vector<std::string> addresses = {};  // other names and IPs that clients reach the server by
  std::vector<std::string> clients = {};
  int days = 825;
  KeyClock::time_point now = KeyClock::now();
};

struct IssuedKey {
  std::string name;
  KeyRole role;
  std::string certificate_path, key_path;
  std::string fingerprint;  // SHA-256, "AB:CD:..."
  KeyClock::time_point expires;
};

// Writes NAME.pem and NAME.key for the server and every client, signed by the authority in folder/ca.pem and
// folder/ca.key, which is made (and the first of what is returned) where there is none. Never replaces a file; all are
// written or none.
std::vector<IssuedKey> make_keys(const KeyRequest& request);

struct CertificateFacts {
  std::string name;         // the common name: who this is
  std::string fingerprint;  // SHA-256, "AB:CD:..."
  KeyClock::time_point starts, expires;
  bool expired = false;
  std::string pem = {};  // the whole file, as TLS libraries want it
};

// The first certificate of a PEM file.
CertificateFacts read_certificate(const std::string& path, KeyClock::time_point now = KeyClock::now());

// The text of a private key in PEM without a passphrase. A file that others than its owner may read is refused.
std::string read_key_file(const std::string& path);

// The key is the one the certificate was made for.
void check_pair(const std::string& certificate_path, const std::string& key_path);

// The certificate is signed by an authority of the second file, for this role, and is valid now.
void check_issued_by(const std::string& certificate_path, const std::string& authority_path, KeyRole role,
                     KeyClock::time_point now = KeyClock::now());

std::string utc_text(KeyClock::time_point time);  // "2028-02-18 14:03 UTC"

}  // namespace pollen
