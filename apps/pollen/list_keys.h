// pollen list keys: the configuration's keys, for a terminal or as docs/configuration.md.
#pragma once

#include "commands.h"

namespace pollen::app {

void list_keys(const ListOptions& options);

}  // namespace pollen::app
