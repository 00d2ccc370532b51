#include "http/listener.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <semaphore>
#include <set>
#include <thread>
#include <vector>

#include "pollen/errors.h"
#include "sockets.h"

namespace pollen::http {

namespace {

// How long an ending door waits for readers to take what the server has said to them.
constexpr std::chrono::milliseconds kLastWords{500};

Deadline in(std::chrono::milliseconds time) { return std::chrono::steady_clock::now() + time; }

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
  void accept_all(httplib::ThreadPool& pool);
  void serve(int client);
  void pass_back(int server, int client) const;
  bool admit(int socket);
  void dismiss(int socket);

  int listening_, behind_;
  ListenerOptions options_;
  std::mutex mutex_;
  std::condition_variable closed_;
  std::set<int> open_;
  std::atomic<bool> ending_ = false;
  std::counting_semaphore<> places_;  // connections that may still be accepted; further ones wait in the kernel's queue
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

void Door::accept_all(httplib::ThreadPool& pool) {
  while (!ending_) {
    places_.acquire();
    const int client = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client >= 0) {
      pool.enqueue([this, client] {
        serve(client);
        places_.release();
      });
      continue;
    }
    const bool out_of_files = errno == EMFILE || errno == ENFILE;
    places_.release();
    if (out_of_files) std::this_thread::sleep_for(std::chrono::milliseconds(100));  // until one is closed
  }
}

void Door::serve(int client) {
  if (!admit(client)) return;
  // Events are small and must not wait for more data to be sent with them.
  const int yes = 1;
  ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  const std::string head = read_until(client, "\r\n\r\n", options_.request_bytes, in(options_.request_time));
  const int server = head.empty() ? -1 : connect_to_loopback(behind_);
  if (server >= 0 && admit(server)) {
    if (send_all(server, head, in(options_.request_time))) pass_back(server, client);
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
    if (n <= 0 || !send_all(client, {part.data(), static_cast<std::size_t>(n)}, in(options_.write_time))) return;
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
  const int listening = listen_at(host, port);
  const int behind = listening < 0 ? -1 : bind_to_any_port("127.0.0.1");
  if (behind <= 0) {
    if (listening >= 0) ::close(listening);
    throw IoError(
        fmt::format("{}: cannot listen at {}:{}: the address is taken or not this machine's", option, host, port));
  }
  port_ = port_of(listening);
  thread_ = std::thread([this] {
    be_nice();
    listen_after_bind();
  });
  // A stop() before the server runs would be lost.
  while (!is_running()) std::this_thread::yield();
  door_ = std::make_unique<Door>(listening, behind, options_);
}

}  // namespace pollen::http
