// --share-draws: at the end of a run, the server sends the draws to its clients (site_folder.h receives them).
#pragma once

#include "federation/federation.h"
#include "sink/spool.h"

namespace pollen::app {

// Sends the draws in blocks to all connected clients. It sends every k-th draw if all would take
// more than 64 MiB.
void share_draws(ConnectionRegistry& registry, const sink::SpoolReader& spool);

}  // namespace pollen::app
