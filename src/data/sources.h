// From `data.source` to one RawTable: built-in, one file, or one file a client.
#pragma once

#include <cstdint>
#include <string>

#include "pollen/data.h"
#include "raw_table.h"

namespace pollen::data {

// Every fault of the keys themselves, before any file is opened; defaults are filled in. Throws ConfigError.
void check_spec(const DataSpec& spec, TargetKind target, const std::string& where);

// data.format, or what the file's name tells. Throws ConfigError where neither does.
std::string format_of(const DataSpec& spec, const std::string& path, const std::string& where);

// One file in the format of data.format or of its name. Not `labelled`: an idx file alone, without its label file.
RawTable read_one(const DataSpec& spec, const std::string& path, const std::string& where, bool labelled);

RawTable read_sources(const DataSpec& spec, std::uint64_t seed, const std::string& where);

}  // namespace pollen::data
