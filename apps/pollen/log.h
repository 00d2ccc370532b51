// Where a federation's news goes: lines for people, or a JSON object a line (--log-format json).
#pragma once

#include <string>

#include "federation/federation.h"

namespace pollen::app {

// To stderr; any thread may call it. Quiet: nowhere.
Tell make_log(const std::string& format, bool quiet);

}  // namespace pollen::app
