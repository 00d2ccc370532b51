// DIR/clients.json: who took part when, and whose training rows have which labels. At most 200 groups of clients.
#pragma once

#include <string>

#include "pollen/data.h"
#include "run/participation_tally.h"

namespace pollen {
class Experiment;
}

namespace pollen::sink {

std::string client_tables(const ParticipationTally& tally, Index chains, const ClientNames& names,
                          const Federation& data);
std::string client_tables(const Experiment& experiment);

}  // namespace pollen::sink
