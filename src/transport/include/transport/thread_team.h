// A ThreadTeam runs one function for all items 0..n-1 on several threads and waits for them to end: fork and join, many
// times per second. The calling thread works too. Items are handed out one by one, in order, to whichever member is
// free, so what an item does must not depend on the member. run() rethrows the first exception after all members have
// stopped.
//
//   ThreadTeam team(4);
//   team.run(items, [&](Index item, int member) { results[item] = compute(item, scratch[member]); });
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
  // Calls work(item, member) for every item below `items`, where member is below size().
  void run(Index items, const Team::Work& work);
  // Returns this team behind an interface that does not mention threads. The ThreadTeam must outlive it.
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
