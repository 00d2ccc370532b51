// A team of threads that runs one function over 0..n-1 together and waits for all: fork and join, many times a second.
//
// The calling thread works too. Items are handed out one by one in order, to whoever is free; what an item does must
// not depend on who does it. The first exception is rethrown by run() after all have stopped.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "pollen/types.h"

namespace pollen {

class ThreadTeam {
 public:
  explicit ThreadTeam(int threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }
  // work(item, member) for every item below `items`; member is below size().
  void run(Index items, const Team::Work& work);
  // This one, for those who know no threads. It outlives that.
  Team team() {
    return {size(), [this](Index items, const Team::Work& work) { run(items, work); }};
  }

 private:
  void serve(int member);
  void take_items(int member);

  std::vector<std::jthread> threads_;
  const std::function<void(Index, int)>* work_ = nullptr;
  Index items_ = 0;
  std::atomic<Index> next_{0};
  std::atomic<std::uint64_t> turn_{0};
  std::atomic<int> busy_{0};
  std::atomic<bool> ending_{false};
  std::mutex error_mutex_;
  std::exception_ptr error_;
};

}  // namespace pollen
