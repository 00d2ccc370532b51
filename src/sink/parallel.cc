#include "sink/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace pollen::sink {

int sensible_threads(int asked) {
  if (asked > 0) return asked;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void for_each_index(Index count, int threads, const std::function<void(Index)>& work) {
  std::atomic<Index> next{0};
  std::exception_ptr failure;
  std::mutex guard;
  const auto drain = [&] {
    try {
      for (Index i = next++; i < count; i = next++) work(i);
    } catch (...) {
      const std::lock_guard lock(guard);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> helpers;
  const Index wanted = std::min<Index>(threads, count);
  for (Index t = 1; t < wanted; ++t) helpers.emplace_back(drain);
  drain();
  for (std::thread& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace pollen::sink
