// Reads summary.json and clients.json of a run for the page. Files come from outside, so anything malformed is a
// ConfigError that names the file, or is left out if it is not needed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/blocks.h"

namespace pollen::report {

// Reads DIR/summary.json. Returns null if there is no file; throws ConfigError if it is not a summary.
Json read_summary(const std::string& path);
// Reads DIR/clients.json. Returns null if there is no file; throws ConfigError if it is malformed.
Json read_clients(const std::string& path);

Json parse_summary(std::string_view text, const std::string& path);
Json parse_clients(std::string_view text, const std::string& path);

// These return the parts of RunData (web/src/data.ts) that a summary provides.
// `draws` is {"chains", "draws"} if the draws were read, otherwise null.
Json facts_of(const Json& summary, const Json& draws);
void add_stored_parts(Json& run, const Json& summary);

}  // namespace pollen::report
