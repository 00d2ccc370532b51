// Evenly spaced draws of a spool, the same of every chain, including the last one.
#pragma once

#include <algorithm>
#include <vector>

#include "sink/spool.h"

namespace pollen::sink {

// The numbers of the draws, about `most` over all chains.
inline std::vector<std::int64_t> spaced_draws(std::int64_t draws, Index chains, Index most) {
  const std::int64_t count = std::clamp<std::int64_t>(most / chains, 1, draws);
  std::vector<std::int64_t> chosen;
  for (std::int64_t i = 1; i <= count; ++i) chosen.push_back(i * draws / count - 1);
  return chosen;
}

// Calls visit(draw, chain) for at most `most` of them.
template <class Visit>
void each_spaced(const SpoolReader& spool, Index most, const Visit& visit) {
  Index used = 0;
  for (const std::int64_t draw : spaced_draws(spool.draws(), spool.shape().chains, most))
    for (Index c = 0; c < spool.shape().chains && used < most; ++c, ++used) visit(draw, c);
}

}  // namespace pollen::sink
