#include "http/listener.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <condition_variable>
#include <deque>

#include "pollen/errors.h"

namespace pollen::http {

namespace {

constexpr int kNice = 10;

// Threads as they are needed, up to `most`. When all are busy, whoever accepts connections waits.
class Workers final : public httplib::TaskQueue {
 public:
  explicit Workers(std::size_t most) : most_(most) {}

  void enqueue(std::function<void()> job) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return jobs_.size() < idle_ || threads_.size() < most_ || over_; });
    jobs_.push_back(std::move(job));
    if (jobs_.size() > idle_ && threads_.size() < most_) threads_.emplace_back([this] { work(); });
    changed_.notify_all();
  }
  void shutdown() override {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  void work() {
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

  std::size_t most_, idle_ = 0;
  bool over_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  std::vector<std::thread> threads_;
};

}  // namespace

Listener::Listener(const ListenerOptions& options) : options_(options) {
  new_task_queue = [this] { return new Workers(options_.connections); };
  set_payload_max_length(options_.limits.request_bytes);
  // Its own default lets two servers share a port, and requests would go to either.
  set_socket_options([](int socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
}

Listener::~Listener() {
  if (!thread_.joinable()) return;
  end_connections();
  stop();
  thread_.join();
}

void Listener::start(const std::string& option, const std::string& host, int port) {
  port_ = port;
  const bool bound = port == 0 ? (port_ = bind_to_any_port(host)) > 0 : bind_to_port(host, port);
  if (!bound)
    throw IoError(
        fmt::format("{}: cannot listen at {}:{}: the address is taken or not this machine's", option, host, port));
  thread_ = std::thread([this] {
    // Of this thread and of those it starts (Linux): what samples comes first.
    (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNice);
    listen_after_bind();
  });
  while (!is_running()) std::this_thread::yield();  // a stop() before that would be lost
}

bool Listener::admit(socket_t socket) {
  const std::lock_guard lock(mutex_);
  if (!ending_) open_.insert(socket);
  return !ending_;
}

void Listener::dismiss(socket_t socket) {
  const std::lock_guard lock(mutex_);  // end_connections() must not meet a number that is somebody else's by then
  open_.erase(socket);
  ::shutdown(socket, SHUT_RDWR);
  ::close(socket);
}

void Listener::end_connections() {
  const std::lock_guard lock(mutex_);
  ending_ = true;
  for (const socket_t socket : open_) ::shutdown(socket, SHUT_RDWR);
}

bool Listener::process_and_close_socket(socket_t socket) {
  bool answered = false;
  if (admit(socket)) {
    Connection connection(socket, options_.limits);
    bool closed = false;
    answered = process_request(connection, true, closed, nullptr);
  }
  dismiss(socket);
  return answered;
}

}  // namespace pollen::http
