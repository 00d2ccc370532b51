// Threads that are started as they are needed, up to a number. When all are busy, whoever brings work waits.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace pollen::http {

void be_nice();  // this thread, and those that it starts, leave the processor to what samples (Linux)

class Workers {
 public:
  explicit Workers(std::size_t most) : most_(most) {}
  ~Workers();  // first does all that was brought

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
