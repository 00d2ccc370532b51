// What a client keeps between rounds.
#pragma once

#include "pollen/round.h"

namespace pollen {

struct Client::State {
  State(const ClientParts& parts, const Potential& potential, Index chains);
  void archive(Archive& archive);

  std::unique_ptr<Oracle> oracle;
  Panel memory;                // h: η^i or g^i, a column a chain
  std::vector<double> anchor;  // fixed point with a share of the prior: θ̂
  Panel local, pending;        // local steps: where they have come, and where they come if the reply is counted
  std::vector<std::uint64_t> local_at;  // one a chain: the iteration of local's column
  std::uint64_t pending_at = 0;
};

}  // namespace pollen
