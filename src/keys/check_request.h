// What is asked for, looked at before anything is made.
#pragma once

#include <string>

#include "keys/keys.h"

namespace pollen::keys {

void check_request(const KeyRequest& request);  // ConfigError with every wrong name

bool is_ip(const std::string& text);

// The names a certificate is good for, as OpenSSL's configuration files have them:
// "DNS:hub,DNS:localhost,IP:127.0.0.1". Only for what check_request has let pass.
std::string server_names(const KeyRequest& request);
std::string client_names(const std::string& name);

}  // namespace pollen::keys
