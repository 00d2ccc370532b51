#include "support/source_dir.h"

namespace pollen {

std::string source_dir() { return POLLEN_SOURCE_DIR; }

}  // namespace pollen
