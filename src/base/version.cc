#include "pollen/version.h"

#include "build_info.h"

namespace pollen {

const char* version() { return POLLEN_VERSION; }
const char* revision() { return POLLEN_REVISION; }
const char* build_type() { return POLLEN_BUILD_TYPE; }
const char* compiler() { return POLLEN_COMPILER; }

}  // namespace pollen
