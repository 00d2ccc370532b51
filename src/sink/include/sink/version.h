// What this build is: constants that CMake fills in.
#pragma once

namespace pollen::sink {

const char* version();     // "0.1.0"
const char* revision();    // short git revision, "unknown" outside a checkout
const char* build_type();  // "Release"
const char* compiler();    // "GNU 12.2.0"

}  // namespace pollen::sink
