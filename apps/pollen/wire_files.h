// What both ends of a federation do with --ca, --cert, --key and --insecure.
#pragma once

#include <optional>
#include <string>

#include "commands.h"
#include "grpc/wires.h"
#include "keys/keys.h"

namespace pollen::app {

struct Identity {
  std::optional<TlsTexts> tls;  // empty: plain text
  std::string name;             // the certificate's
};

// Reads and checks the files; ConfigError where they are missing or wrong, or where plain text would leave the machine.
Identity identity_of(const WireOptions& options, KeyRole role, const std::string& address);

// "host:port" checked; the host may be empty, a name, an IPv4 address or an IPv6 address in brackets.
void check_address(const std::string& option, const std::string& address);

}  // namespace pollen::app
