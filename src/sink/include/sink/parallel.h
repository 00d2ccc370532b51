// for_each_index(count, threads, work) calls work(i) for every i, spread over threads. Which thread gets which i is not
// fixed, so results must not depend on it. The first exception is rethrown to the caller.
#pragma once

#include <algorithm>
#include <functional>
#include <thread>

#include "pollen/types.h"
#include "transport/thread_team.h"

namespace pollen::sink {

inline void for_each_index(Index count, int threads, const std::function<void(Index)>& work) {
  ThreadTeam team(static_cast<int>(std::min<Index>(threads, count)));
  team.run(count, [&](Index i, int) { work(i); });
}

// Returns `asked` if it is above 0, otherwise the number of the machine's threads.
inline int sensible_threads(int asked) {
  return asked > 0 ? asked : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace pollen::sink
