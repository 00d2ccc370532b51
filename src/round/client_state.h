// What a client keeps between rounds. It is made when the client first takes part.
#pragma once

#include "pollen/round.h"
#include "round/local_work.h"

namespace pollen {

struct Client::State {
  void archive(Archive& archive);

  std::unique_ptr<const Potential> potential;  // for the work, if it differs from the one that questions go to
  std::unique_ptr<LocalWork> work;
  Panel memory;     // η^i or g^i, one column per chain, for those numbers of a message that a memory covers
  CodeMemory code;  // of the client's code, over all its chains
};

}  // namespace pollen
