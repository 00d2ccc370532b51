// Checks a request for keys before anything is made.
#pragma once

#include <string>

#include "keys/keys.h"

namespace pollen::keys {

void check_request(const KeyRequest& request);  // throws a ConfigError that lists every wrong name

bool is_ip(const std::string& text);

// The names for which a certificate is valid, in the form of OpenSSL's configuration files:
// "DNS:hub,DNS:localhost,IP:127.0.0.1". The request must have passed check_request().
std::string server_names(const KeyRequest& request);
std::string client_names(const std::string& name);

}  // namespace pollen::keys
