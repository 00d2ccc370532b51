// Where the optional modules are: shared libraries that pollen opens when they are needed (libtorch, MPI).
#pragma once

#include <string>

namespace pollen {

// The file `name`: what the environment variable says; else the first found beside this program, in the lib folder of
// its prefix, and beside the library that this code is in. Empty where there is none.
std::string find_module(const char* name, const char* variable);

// Where find_module() looks, for error messages.
std::string module_folders();

}  // namespace pollen
