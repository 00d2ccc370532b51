// Describes this build. CMake fills in the constants.
#pragma once

namespace pollen::sink {

const char* version();     // such as "0.1.0"
const char* revision();    // short git revision; "unknown" outside a checkout
const char* build_type();  // such as "Release"
const char* compiler();    // such as "GNU 12.2.0"

}  // namespace pollen::sink
