#include "transport/thread_team.h"

#include <utility>

namespace pollen {

namespace {

// How often a thread looks for work before it sleeps, because rounds are often microseconds apart. It does not yield in
// between: on a busy machine that would give a whole time slice away.
constexpr int kSpins = 1000;

}  // namespace

ThreadTeam::ThreadTeam(int threads) {
  for (int member = 1; member < threads; ++member) threads_.emplace_back([this, member] { serve(member); });
}

ThreadTeam::~ThreadTeam() {
  ending_ = true;
  ++turn_;
  turn_.notify_all();
  threads_.clear();  // joins the threads while the other data members still exist
}

void ThreadTeam::run(Index items, const std::function<void(Index, int)>& work) {
  if (threads_.empty() || items <= 1) {
    for (Index item = 0; item < items; ++item) work(item, 0);
    return;
  }
  work_ = &work;
  items_ = items;
  next_ = 0;
  busy_ = static_cast<int>(threads_.size());
  ++turn_;
  turn_.notify_all();
  take_items(0);
  for (int spin = 0; spin < kSpins && busy_ != 0; ++spin) __builtin_ia32_pause();
  for (int left = busy_; left != 0; left = busy_) busy_.wait(left);
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void ThreadTeam::take_items(int member) {
  try {
    for (Index item = next_++; item < items_; item = next_++) (*work_)(item, member);
  } catch (...) {
    const std::lock_guard lock(error_mutex_);
    if (!error_) error_ = std::current_exception();
    next_ = items_;
  }
}

void ThreadTeam::serve(int member) {
  std::uint64_t seen = 0;
  while (true) {
    for (int spin = 0; spin < kSpins && turn_ == seen; ++spin) __builtin_ia32_pause();
    turn_.wait(seen);
    if (ending_) return;
    seen = turn_;
    take_items(member);
    if (--busy_ == 0) busy_.notify_all();
  }
}

}  // namespace pollen
