// Tells which version of pollen the program was linked with and how that was built. Thread-safe.
//
//   std::cout << "pollen " << pollen::version() << '\n';
#pragma once

namespace pollen {

const char* version();     // "0.1.0"
const char* revision();    // a short git revision, or "unknown" if built outside a checkout
const char* build_type();  // "Release"
const char* compiler();    // "GNU 12.2.0"

}  // namespace pollen
