#include "support/source_dir.h"

namespace pollen {

std::string source_dir() { return POLLEN_SOURCE_DIR; }
std::string build_dir() { return POLLEN_BUILD_DIR; }
std::string pollen_program() { return build_dir() + "/bin/pollen"; }

}  // namespace pollen
