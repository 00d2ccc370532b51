#include "http/listener.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <semaphore>
#include <set>
#include <thread>
#include <vector>

#include "base/sockets.h"
#include "pollen/errors.h"

namespace pollen::http {

namespace {

// How long an ending door waits for readers to take what the server has said to them.
constexpr std::chrono::milliseconds kLastWords{500};
constexpr std::size_t kMostWaiting = 64;  // connections whose request has not arrived, or not begun to be answered

sockets::Deadline in(std::chrono::milliseconds time) { return std::chrono::steady_clock::now() + time; }

// Gives this thread, and those that it starts, a low priority, so that sampling comes first (Linux only).
void be_nice() { (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), 10); }

}  // namespace

// A proxy in front of an HTTP server. Clients connect to the door, and the door connects to the server, which listens
// on its own local port. The door enforces limits that the HTTP library lacks: a request must arrive in time and within
// a size limit, an answer must be taken in time, and all connections can be cut at once. A slow, silent or endless peer
// loses its own connection and affects no other. The door runs on its own threads.
class Door {
 public:
  // Takes ownership of the socket `listening` and forwards requests to the server at the local port `behind`.
  Door(int listening, int behind, const ListenerOptions& options);
  ~Door();  // passes on what the server has said, for a moment, then cuts every connection

 private:
  struct Waiting {
    int socket;
    sockets::Deadline until;  // for the whole request
    std::string head;         // what has arrived of it
    bool complete = false;
  };
  void accept_all(httplib::ThreadPool& pool);
  void hear(Waiting& waiting) const;
  void hand_over(httplib::ThreadPool& pool);
  void serve(int client, const std::string& head);
  void pass_back(int server, int client) const;
  bool admit(int socket);
  void dismiss(int socket);

  int listening_, behind_;
  ListenerOptions options_;
  std::mutex mutex_;
  std::condition_variable closed_;
  std::set<int> open_;
  std::atomic<bool> ending_ = false;
  std::counting_semaphore<> places_;  // requests that may still be answered now; further ones wait
  std::vector<Waiting> waiting_;      // the oldest first; used by the door's own thread only
  std::thread thread_;
};

Door::Door(int listening, int behind, const ListenerOptions& options)
    : listening_(listening),
      behind_(behind),
      options_(options),
      places_(static_cast<std::ptrdiff_t>(options.connections)) {
  thread_ = std::thread([this] {
    be_nice();
    httplib::ThreadPool pool(options_.connections);
    accept_all(pool);
    pool.shutdown();
  });
}

Door::~Door() {
  ::shutdown(listening_, SHUT_RDWR);
  {
    std::unique_lock lock(mutex_);
    ending_ = true;
    for (const int socket : open_) ::shutdown(socket, SHUT_RD);  // what the server has said already is still passed on
    closed_.wait_for(lock, kLastWords, [this] { return open_.empty(); });
    for (const int socket : open_) ::shutdown(socket, SHUT_RDWR);
  }
  thread_.join();
  ::close(listening_);
}

// Takes connections in. Those whose request has not arrived yet wait here, and none of them keeps a place that another
// could use: the oldest gives way when many wait.
void Door::accept_all(httplib::ThreadPool& pool) {
  std::vector<pollfd> looked;
  bool out_of_files = false;
  while (!ending_) {
    const bool room = waiting_.size() < kMostWaiting || std::ranges::any_of(waiting_, std::not_fn(&Waiting::complete));
    looked.assign(1, {listening_, static_cast<short>(room && !out_of_files ? POLLIN : 0), 0});
    bool any_complete = false;
    for (const Waiting& w : waiting_) {
      looked.push_back({w.socket, static_cast<short>(w.complete ? 0 : POLLIN), 0});
      any_complete = any_complete || w.complete;
    }
    ::poll(looked.data(), looked.size(), any_complete ? 10 : 100);
    out_of_files = false;
    for (std::size_t i = 1; i < looked.size(); ++i)
      if (looked[i].revents != 0) hear(waiting_[i - 1]);
    hand_over(pool);
    if ((looked[0].revents & POLLIN) == 0 || ending_) continue;
    const int client = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    out_of_files = client < 0 && (errno == EMFILE || errno == ENFILE);  // until one is closed
    if (client < 0 || !admit(client)) continue;
    if (waiting_.size() >= kMostWaiting) {
      const auto oldest = std::ranges::find(waiting_, false, &Waiting::complete);
      dismiss(oldest->socket);
      waiting_.erase(oldest);
    }
    waiting_.push_back({client, in(options_.request_time), {}});
  }
  for (const Waiting& w : waiting_) dismiss(w.socket);
}

// Takes what a waiting connection has said. One that is gone, or says too much, is marked to be dismissed.
void Door::hear(Waiting& w) const {
  std::array<char, 4096> part;
  const ssize_t n =
      ::recv(w.socket, part.data(), std::min(part.size(), options_.request_bytes - w.head.size()), MSG_DONTWAIT);
  if (n > 0) w.head.append(part.data(), static_cast<std::size_t>(n));
  w.complete = w.complete || w.head.find("\r\n\r\n") != std::string::npos;
  if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR) ||
      (!w.complete && w.head.size() >= options_.request_bytes))
    w.until = {};
}

// Hands requests that have arrived to threads that are free, and dismisses whoever was too slow.
void Door::hand_over(httplib::ThreadPool& pool) {
  const auto now = std::chrono::steady_clock::now();
  std::erase_if(waiting_, [&](Waiting& w) {
    if (w.complete && places_.try_acquire()) {
      pool.enqueue([this, client = w.socket, head = std::move(w.head)] {
        serve(client, head);
        places_.release();
      });
      return true;
    }
    if (w.complete || w.until > now) return false;
    dismiss(w.socket);
    return true;
  });
}

void Door::serve(int client, const std::string& head) {
  // Events are small and must not wait for more data to be sent with them.
  const int yes = 1;
  ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  const int server = sockets::connect_to_loopback(behind_);
  if (server >= 0 && admit(server)) {
    if (sockets::send_all(server, head, in(options_.request_time))) pass_back(server, client);
    dismiss(server);
  }
  dismiss(client);
}

// Copies the server's answer to the client until the answer is complete or one side is gone.
void Door::pass_back(int server, int client) const {
  std::vector<char> part(std::size_t{64} << 10);
  while (true) {
    std::array<pollfd, 2> both{{{server, POLLIN, 0}, {client, 0, 0}}};
    if (::poll(both.data(), both.size(), -1) < 0 && errno != EINTR) return;
    if (both[1].revents != 0) return;
    if (both[0].revents == 0) continue;
    const ssize_t n = ::recv(server, part.data(), part.size(), 0);
    if (n <= 0 || !sockets::send_all(client, {part.data(), static_cast<std::size_t>(n)}, in(options_.write_time)))
      return;
  }
}

bool Door::admit(int socket) {
  const std::lock_guard lock(mutex_);
  if (ending_)
    ::close(socket);
  else
    open_.insert(socket);
  return !ending_;
}

void Door::dismiss(int socket) {
  // The socket is erased and closed under the lock. Otherwise ~Door() could shut down a descriptor that is reused by
  // then.
  const std::lock_guard lock(mutex_);
  open_.erase(socket);
  ::shutdown(socket, SHUT_RDWR);
  ::close(socket);
  closed_.notify_all();
}

Listener::Listener(const ListenerOptions& options) : options_(options) {
  new_task_queue = [this] { return new httplib::ThreadPool(options_.connections); };
  set_keep_alive_max_count(1);
  set_tcp_nodelay(true);
  set_payload_max_length(options_.request_bytes);
  // The door sends a complete request at once, so nothing can follow later.
  set_read_timeout(std::chrono::seconds(1));
  // The door's shorter limit applies first.
  set_write_timeout(options_.write_time + std::chrono::seconds(5));
  // The library's default options would let two servers share a port.
  set_socket_options([](int) {});
}

Listener::~Listener() {
  door_.reset();
  if (!thread_.joinable()) return;
  stop();
  thread_.join();
}

void Listener::start(const std::string& option, const std::string& host, int port) {
  const int listening = sockets::listen_at(host, port);
  const int behind = listening < 0 ? -1 : bind_to_any_port("127.0.0.1");
  if (behind <= 0) {
    if (listening >= 0) ::close(listening);
    throw IoError(
        fmt::format("{}: cannot listen at {}:{}: the address is taken or not this machine's", option, host, port));
  }
  port_ = sockets::port_of(listening);
  thread_ = std::thread([this] {
    be_nice();
    listen_after_bind();
  });
  // A stop() before the server runs would be lost.
  while (!is_running()) std::this_thread::yield();
  door_ = std::make_unique<Door>(listening, behind, options_);
}

}  // namespace pollen::http
