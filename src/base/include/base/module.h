// Finds the optional modules: shared libraries that pollen opens only when they are needed (libtorch, MPI).
// Thread-safe as long as nothing changes the environment.
#pragma once

#include <string>

namespace pollen {

// Returns the path of the module `name`. The environment variable `variable` decides if it is set. Otherwise the
// module is looked for beside this program, in the lib folder of its prefix, and beside the library that contains this
// code; the first hit counts. Returns an empty string if there is none.
std::string find_module(const char* name, const char* variable);

// The folders in which find_module() looks, as text for error messages.
std::string module_folders();

}  // namespace pollen
