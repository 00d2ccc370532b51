#include <algorithm>

#include "ranks/ranks.h"
#include "round/block_sums.h"

namespace pollen {

namespace {

constexpr Index kMostKept = Index{1} << 23;  // the most numbers in replies that wait for the previous rank: 64 MiB

}  // namespace

ClientRange client_range(int rank, int size, Index clients, Index numbers) {
  const Index block = block_size_for(clients);
  const Index unit = block > kMostKept / std::max<Index>(1, numbers) ? block : 1;
  const Index units = (clients + unit - 1) / unit;
  const auto before = [&](Index r) {
    return std::min(clients, unit * (r * (units / size) + std::min(r, units % size)));
  };
  return {before(rank), before(rank + 1)};
}

}  // namespace pollen
