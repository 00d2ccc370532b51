// What summary.json and clients.json of a run say, for the page. Files come from outside: whatever is odd in them is a
// ConfigError that names the file, or is left out where it is not needed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/blocks.h"

namespace pollen::report {

// DIR/summary.json, or null where there is none. ConfigError where it is not a summary.
Json read_summary(const std::string& path);
// DIR/clients.json, likewise.
Json read_clients(const std::string& path);

Json parse_summary(std::string_view text, const std::string& path);
Json parse_clients(std::string_view text, const std::string& path);

// The parts of RunData (web/src/data.ts) that a summary has.
Json facts_of(const Json& summary, const Json& draws);  // draws: {"chains", "draws"} where they were read, else null
void add_stored_parts(Json& run, const Json& summary);

}  // namespace pollen::report
