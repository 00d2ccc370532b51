// Makes DIR/clients.json, which says when clients took part and how many training rows of each label they have, for at
// most 200 groups of clients.
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
