// Converts DIR/metrics.csv for the page, column by column, thinned to a limited number of rows.
#pragma once

#include <string>
#include <string_view>

#include "report/blocks.h"

namespace pollen::report {

// Throws ConfigError naming file and row if the text is malformed. A last line without a line end, as in a run in
// progress, is ignored.
Json metrics_table(std::string_view text, const std::string& path, std::size_t most = 1000);

}  // namespace pollen::report
