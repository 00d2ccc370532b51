// Where the sources of pollen and what was built from them are, for tests that read examples, pages or stored answers,
// or run the program. The folders' names stand in one source file alone, so that the compiler cache serves clones in
// any folder. Thread-safe.
#pragma once

#include <string>

namespace pollen {

std::string source_dir();
std::string build_dir();
std::string pollen_program();  // the command line's program

}  // namespace pollen
