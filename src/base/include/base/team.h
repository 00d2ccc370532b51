// Who does work that can be shared out: one alone, or several at once.
#pragma once

#include <functional>

#include "pollen/types.h"

namespace pollen {

struct Team {
  using Work = std::function<void(Index item, int member)>;
  int size = 1;  // members
  // work for every item below `items`, in any order; returns when all are done. A member does one at a time.
  std::function<void(Index items, const Work& work)> run = [](Index items, const Work& work) {
    for (Index item = 0; item < items; ++item) work(item, 0);
  };

  // An item is a chain of so many numbers: by all members where that is worth waking them.
  void over_chains(Index chains, Index numbers, const Work& work) const {
    constexpr Index kWorthIt = 1 << 15;
    if (chains * numbers >= kWorthIt) return run(chains, work);
    for (Index chain = 0; chain < chains; ++chain) work(chain, 0);
  }
};

}  // namespace pollen
