// Rules for clients whose rows are in files of their own. Processes that load all files and processes that load some of
// them each must agree on these. All functions are thread-safe.
#pragma once

#include <string>
#include <vector>

#include "pollen/data.h"

namespace pollen {

// Returns the names of the clients: the file's name without folder, .gz and extension, or the whole path if two names
// would be the same.
std::vector<std::string> names_of_files(const std::vector<std::string>& files);

// Returns whether a file is csv, by data.format or by its name.
bool is_csv(const DataSpec& spec, const std::string& path);

}  // namespace pollen
