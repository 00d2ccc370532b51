// Reads `data.source` into one RawTable. The source is built-in, one file, or one file per client.
#pragma once

#include <cstdint>
#include <string>

#include "pollen/data.h"
#include "raw_table.h"

namespace pollen::data {

// Checks all keys before any file is opened. The defaults must be filled in. Throws ConfigError.
void check_spec(const DataSpec& spec, TargetKind target, const std::string& where);

// Returns data.format or the format that the file's name implies. Throws ConfigError if neither is known.
std::string format_of(const DataSpec& spec, const std::string& path, const std::string& where);

// Returns whether a file holds images, by data.format or by its name.
bool holds_images(const DataSpec& spec, const std::string& path);

// Reads one file. If `labelled` is false, an idx file is read without its label file.
RawTable read_one(const DataSpec& spec, const std::string& path, const std::string& where, bool labelled);

RawTable read_sources(const DataSpec& spec, std::uint64_t seed, const std::string& where);

}  // namespace pollen::data
