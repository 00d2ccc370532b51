// What the module exports.
#include "mpi_ranks.h"

extern "C" pollen::Ranks* pollen_open_ranks() { return new pollen::mpi::MpiRanks(); }
