// pollen list keys: prints the configuration keys as a table for a terminal or in the format of docs/configuration.md.
// Both are made from the key table (recipe/key.h).
#pragma once

#include "commands.h"

namespace pollen::app {

void list_keys(const ListOptions& options);

}  // namespace pollen::app
