// A pool of threads, started as they are needed up to a maximum. enqueue() may be called from any thread; it waits
// while all threads are busy.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace pollen::http {

// Gives this thread, and those that it starts, a low priority, so that sampling comes first (Linux only).
void be_nice();

class Workers {
 public:
  explicit Workers(std::size_t most) : most_(most) {}
  ~Workers();  // runs all enqueued jobs first

  void enqueue(std::function<void()> job);

 private:
  void work();

  std::size_t most_, idle_ = 0;
  bool over_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  std::vector<std::thread> threads_;
};

}  // namespace pollen::http
