// DIR/metrics.csv for the page: column by column, at most so many rows.
#pragma once

#include <string>
#include <string_view>

#include "report/blocks.h"

namespace pollen::report {

// ConfigError naming file and row where it is not such a file. A last line without its end (a run that still goes on)
// is left out.
Json metrics_table(std::string_view text, const std::string& path, std::size_t most = 1000);

}  // namespace pollen::report
