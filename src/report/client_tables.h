// Makes Participation and Heterogeneity of web/src/data.ts from clients.json. The contents are checked, because the
// page relies on their shape. The result is null if the file lacks them; a malformed one is a ConfigError naming the
// file.
#pragma once

#include <string>

#include "report/blocks.h"

namespace pollen::report {

Json participation_table(const Json& held, const std::string& path);
Json label_table(const Json& held, const std::string& path);

}  // namespace pollen::report
