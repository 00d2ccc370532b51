// Digests of files, by which a run that is resumed finds out that its data have changed. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pollen/data.h"

namespace pollen {

// The files that the data are read from, label files that are found by their names included.
std::vector<std::string> files_of(DataSpec spec);

// Throws IoError if the file cannot be read.
FileDigest digest_of(const std::string& path);

}  // namespace pollen
