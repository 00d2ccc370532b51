// Data of one file a client, which ranks read for their own clients alone: they exchange what clients of a federation
// would (names of columns and levels, moments), and the test rows go to rank 0, which scores.
#pragma once

#include "pollen/config.h"
#include "pollen/data.h"
#include "ranks/rank_transport.h"

namespace pollen {

// csv files with partition = "given"; not where a mean is taken over all rows, or other files belong to the whole.
bool reads_own_files(const Config& config);

// By all ranks together. As load_federation() has it, but that train has the rows of this rank's clients alone and test
// is rank 0's.
Federation load_own_files(const Config& config, TargetKind target, Ranks& ranks);

// What client_range() is told of this run's replies: nothing where files are shared out before columns are known.
Index kept_numbers(const Config& config, Index dimension);

}  // namespace pollen
