// Ranks as threads of one process that pass frames through queues, which tests everything of a cluster but the network.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "ranks/ranks.h"

namespace pollen::testing {

class RankQueues {
 public:
  explicit RankQueues(int size) : size_(size), queues_(static_cast<std::size_t>(size * size)) {
    for (int r = 0; r < size; ++r) ranks_.push_back(std::make_unique<Rank>(*this, r));
  }

  Ranks& at(int rank) { return *ranks_[static_cast<std::size_t>(rank)]; }

  // Calls first(rank 0) on this thread and others(rank) on one thread each. Returns when all are done.
  template <class First>
  auto run(const First& first, const std::function<void(Ranks&)>& others) {
    std::vector<std::jthread> threads;
    for (int r = 1; r < size_; ++r) threads.emplace_back([this, r, &others] { others(at(r)); });
    const RanksAtWork at_work(at(0));  // ends the ranks before they are joined
    return first(at(0));
  }

 private:
  struct Queue {
    std::deque<Bytes> frames;
    std::mutex mutex;
    std::condition_variable came;
  };

  class Rank final : public Ranks {
   public:
    Rank(RankQueues& all, int rank) : all_(all), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return all_.size_; }
    void send(int to, ByteView frame) override {
      Queue& queue = all_.between(rank_, to);
      const std::lock_guard lock(queue.mutex);
      queue.frames.emplace_back(frame.begin(), frame.end());
      queue.came.notify_one();
    }
    void send_all(ByteView frame) override {
      for (int r = 0; r < all_.size_; ++r)
        if (r != rank_) send(r, frame);
    }
    void receive(int from, Bytes& frame) override {
      Queue& queue = all_.between(from, rank_);
      std::unique_lock lock(queue.mutex);
      queue.came.wait(lock, [&] { return !queue.frames.empty(); });
      frame = std::move(queue.frames.front());
      queue.frames.pop_front();
    }

   private:
    RankQueues& all_;
    int rank_;
  };

  Queue& between(int from, int to) { return queues_[static_cast<std::size_t>(from * size_ + to)]; }

  int size_;
  std::vector<Queue> queues_;
  std::vector<std::unique_ptr<Rank>> ranks_;
};

}  // namespace pollen::testing
