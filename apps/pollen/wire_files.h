// What both ends of a federation do with --ca, --cert, --key, --insecure and --log-format (docs/federation.md).
#pragma once

#include <optional>
#include <string>

#include "commands.h"
#include "federation/plain.h"
#include "grpc/wires.h"
#include "keys/keys.h"

namespace pollen::app {

struct Address {
  std::string host;  // a name, an IPv4 address or an IPv6 address in brackets
  int port = 0;
};
// Reads the "host:port" that an option was given.
Address address_of(const std::string& option, const std::string& text);

struct Identity {
  std::optional<TlsTexts> tls;  // empty: plain text, without TLS
  std::string name;             // the name in the certificate
  std::string fingerprint;      // its SHA-256 in 64 digits
};

// Reads and checks the files. Throws ConfigError if they are missing or wrong, or if plain text would leave the
// machine.
Identity identity_of(const WireOptions& options, KeyRole role, const Address& address);

// Returns a log to stderr, which may be called from any thread: plain lines for people, or one JSON object per line if
// the format is "json". Control characters are replaced or escaped, because names and reasons come from other parties.
// If `quiet` is set, it does nothing.
Tell make_log(const std::string& format, bool quiet);

}  // namespace pollen::app
