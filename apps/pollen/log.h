// The log of a federation: plain lines for people, or one JSON object per line (--log-format json). Control characters
// in a message are replaced or escaped, because names and reasons come from other parties.
#pragma once

#include <string>

#include "federation/federation.h"

namespace pollen::app {

// Returns a function that logs to stderr and may be called from any thread. If `quiet` is set, it does nothing.
Tell make_log(const std::string& format, bool quiet);

}  // namespace pollen::app
