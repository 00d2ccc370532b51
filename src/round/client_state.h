// What a client keeps between rounds.
#pragma once

#include "pollen/round.h"

namespace pollen {

struct Client::State {
  void archive(Archive& archive);

  std::unique_ptr<LocalWork> work;
  Panel memory;  // h: η^i or g^i, a column per chain, of those numbers of a message that a memory covers
};

}  // namespace pollen
