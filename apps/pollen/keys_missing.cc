// Used in place of keys.cc in builds without OpenSSL.
#include "commands.h"
#include "pollen/errors.h"

namespace pollen::app {

bool has_tls() { return false; }

int keys_command(const KeysOptions&) {
  throw ConfigError("keys",
                    "found a build of pollen without TLS, accepted: one made where OpenSSL 3 is (Debian: libssl-dev)");
}

}  // namespace pollen::app
