// Reads data with one file per client on several ranks, each of which reads only the files of its own clients. The
// ranks exchange what clients of a federation would (names of columns and levels, moments), and the test rows go to
// rank 0, which computes the scores (docs/cluster.md).
#pragma once

#include "pollen/config.h"
#include "pollen/data.h"
#include "ranks/rank_transport.h"

namespace pollen {

// Whether the data can be read this way: csv files with partition = "given". It is not possible if a mean is taken over
// all rows (missing = "mean") or if there are other files, such as test rows, that belong to no client.
bool reads_own_files(const Config& config);

// Loads the data; all ranks must call it. The result is that of load_federation(), except that `train` has only the
// rows of this rank's clients and `test` is complete on rank 0 only.
Federation load_own_files(const Config& config, TargetKind target, Ranks& ranks);

// The size of a reply of all chains that client_range() is given, for a model of so many numbers. It is 0 if files are
// distributed over ranks before the columns are known.
Index kept_numbers(const Config& config, Index dimension);

}  // namespace pollen
