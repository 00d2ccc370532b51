// Requests for keys, and the holders of a key and its certificate: the authority, and the server and clients for whom
// it signs. Keys are P-256, signatures SHA-256, certificates X.509 version 3.
#pragma once

#include <optional>
#include <string>

#include "keys/keys.h"
#include "openssl.h"

namespace pollen::keys {

// Whom a certificate is for.
struct Subject {
  KeyRole role;
  std::string name;                    // the common name; left out if empty
  std::string organization = {};       // left out if empty
  std::string alternative_names = {};  // "DNS:...,IP:..."; left out if empty
  KeyClock::time_point starts, ends;
};

struct Holder {
  std::string name;  // name of the files, without .pem and .key
  KeyRole role;
  Key key;
  Certificate certificate;
};

std::string file_in(const std::string& folder, const std::string& name, const char* ending);
bool is_there(const std::string& path);  // true for anything at that path, even a link that leads nowhere

// Reads the authority of the folder and checks that it can sign. Returns nothing if neither of its files exists, and
// throws ConfigError if it cannot sign.
std::optional<Holder> stored_authority(const std::string& folder, KeyClock::time_point now);

// Makes an authority. Its certificate contains `federation`, so that people can tell two authorities apart.
Holder make_authority(const std::string& federation, KeyClock::time_point starts, KeyClock::time_point ends);

// Makes a key and a signed certificate. The certificate ends no later than the authority's.
Holder make_holder(Subject subject, const Holder& authority);

// Checks a request before anything is made.
void check_request(const KeyRequest& request);  // throws a ConfigError that lists every wrong name

bool is_ip(const std::string& text);

// The names for which a certificate is valid, in the form of OpenSSL's configuration files:
// "DNS:hub,DNS:localhost,IP:127.0.0.1". The request must have passed check_request().
std::string server_names(const KeyRequest& request);
std::string client_names(const std::string& name);

}  // namespace pollen::keys
