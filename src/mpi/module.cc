// The one symbol that the MPI module exports. The program opens the module at run time and calls it.
#include "mpi_ranks.h"

extern "C" pollen::Ranks* pollen_open_ranks() { return new pollen::mpi::MpiRanks(); }
