// Participation and Heterogeneity of web/src/data.ts from what clients.json holds, which is checked: the page relies on
// its shape. Null where there is none, ConfigError naming the file where it is another.
#pragma once

#include <string>

#include "report/blocks.h"

namespace pollen::report {

Json participation_table(const Json& held, const std::string& path);
Json label_table(const Json& held, const std::string& path);

}  // namespace pollen::report
