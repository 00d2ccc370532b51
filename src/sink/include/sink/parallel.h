// for_each_index(count, threads, work): work(i) for every i, spread over threads; which thread does which is not fixed.
// The first exception is thrown again here.
#pragma once

#include <functional>

#include "pollen/types.h"

namespace pollen::sink {

void for_each_index(Index count, int threads, const std::function<void(Index)>& work);
int sensible_threads(int asked);  // asked where above 0, else as many as the machine has

}  // namespace pollen::sink
