// Where the sources of pollen are, for tests that read examples, pages or stored answers. The folder's name stands in
// one source file alone, so that the compiler cache serves clones in any folder. Thread-safe.
#pragma once

#include <string>

namespace pollen {

std::string source_dir();

}  // namespace pollen
