// for_each_index(count, threads, work) calls work(i) for every i, spread over threads. Which thread gets which i is not
// fixed, so results must not depend on it. The first exception is rethrown to the caller.
#pragma once

#include <functional>

#include "pollen/types.h"

namespace pollen::sink {

void for_each_index(Index count, int threads, const std::function<void(Index)>& work);
int sensible_threads(int asked);  // `asked` if above 0, otherwise the number of the machine's threads

}  // namespace pollen::sink
