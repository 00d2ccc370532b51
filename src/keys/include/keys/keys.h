// Keys and certificates for mutual TLS: a small certificate authority, and the checks that a server or client makes on
// the files it is given. Only builds with OpenSSL have this room (target pollen_keys).
//
//   make_keys({.folder = "keys", .server = "hub.example.org", .clients = {"hospital-a", "hospital-b"}});
//   const std::string key = read_key_file("keys/hospital-a.key");
//   check_pair("keys/hospital-a.pem", "keys/hospital-a.key");
//   check_issued_by("keys/hospital-a.pem", "keys/ca.pem", KeyRole::client);
//
// A wrong name, file or content throws ConfigError; a failure of the machine throws IoError. Both name the path.
#pragma once

#include <chrono>
#include <set>
#include <string>
#include <vector>

namespace pollen {

using KeyClock = std::chrono::system_clock;

enum class KeyRole { authority, server, client };

struct KeyRequest {
  static constexpr int kMostDays = 3650;    // lifetime of an authority; nothing that it signs outlives it
  std::string folder = {};                  // made for its owner alone if it does not exist; its parent must exist
  std::string server = {};                  // may be empty if the folder has an authority already
  std::vector<std::string> addresses = {};  // other names and IP addresses under which clients reach the server
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
// folder/ca.key. If there is no authority it is made, and comes first in the result. Existing files are never replaced,
// and either all files are written or none.
std::vector<IssuedKey> make_keys(const KeyRequest& request);

struct CertificateFacts {
  std::string name;         // says whose certificate this is: its common name, or else its alternative name (DNS)
  std::string fingerprint;  // SHA-256, "AB:CD:..."
  KeyClock::time_point starts, expires;
  bool expired = false;
  std::string serial = {};  // its issuer and number, by which revocation lists name it
  std::string pem = {};     // the whole file, as TLS libraries expect it
};

// Reads the first certificate of a PEM file.
CertificateFacts read_certificate(const std::string& path, KeyClock::time_point now = KeyClock::now());

// Reads the certificate in PEM that the other side of a connection has shown.
CertificateFacts shown_certificate(const std::string& pem);

// Reads a private key in PEM without a passphrase and returns its text. A file that others than its owner may read is
// refused.
std::string read_key_file(const std::string& path);

// Checks that the certificate was made for this key.
void check_pair(const std::string& certificate_path, const std::string& key_path);

// Checks that an authority in the second file signed the certificate for this role, and that it is valid now.
void check_issued_by(const std::string& certificate_path, const std::string& authority_path, KeyRole role,
                     KeyClock::time_point now = KeyClock::now());

// Adds the certificates NAME.pem of a folder to its revocation list, crl.pem, which the authority in the folder signs.
// Returns the path of the list.
std::string revoke_keys(const std::string& folder, const std::vector<std::string>& names,
                        KeyClock::time_point now = KeyClock::now());

// Reads which certificates are revoked (CertificateFacts::serial). An authority in the second file must have signed.
std::set<std::string> read_revocations(const std::string& path, const std::string& authority_path);

std::string utc_text(KeyClock::time_point time);  // for example "2028-02-18 14:03 UTC"

}  // namespace pollen
