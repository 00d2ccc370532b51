// Which pollen this is: the version that the program was linked with, and how that was built.
//
//   std::cout << "pollen " << pollen::version() << '\n';
#pragma once

namespace pollen {

const char* version();     // "0.1.0"
const char* revision();    // a short git revision; "unknown" outside a checkout
const char* build_type();  // "Release"
const char* compiler();    // "GNU 12.2.0"

}  // namespace pollen
