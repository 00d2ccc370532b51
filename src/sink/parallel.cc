#include "sink/parallel.h"

#include <algorithm>
#include <thread>

#include "transport/thread_team.h"

namespace pollen::sink {

int sensible_threads(int asked) {
  if (asked > 0) return asked;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void for_each_index(Index count, int threads, const std::function<void(Index)>& work) {
  ThreadTeam team(static_cast<int>(std::min<Index>(threads, count)));
  team.run(count, [&](Index i, int) { work(i); });
}

}  // namespace pollen::sink
