#include "workers.h"

#include <sys/resource.h>
#include <unistd.h>

namespace pollen::http {

void be_nice() { (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 10); }

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::enqueue(std::function<void()> job) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return jobs_.size() < idle_ || threads_.size() < most_; });
  jobs_.push_back(std::move(job));
  if (jobs_.size() > idle_) threads_.emplace_back([this] { work(); });
  changed_.notify_all();
}

void Workers::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return !jobs_.empty() || over_; });
    --idle_;
    if (jobs_.empty()) return;
    const std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
}

}  // namespace pollen::http
