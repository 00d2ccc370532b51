#include "door.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

#include "sockets.h"

namespace pollen::http {

namespace {

// How long an ending door waits for readers to take what the server has said to them.
constexpr std::chrono::milliseconds kLastWords{500};

Deadline in(std::chrono::milliseconds time) { return std::chrono::steady_clock::now() + time; }

}  // namespace

Door::Door(int listening, int behind, const ListenerOptions& options)
    : listening_(listening), behind_(behind), options_(options), workers_(options.connections) {
  thread_ = std::thread([this] {
    be_nice();
    accept_all();
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

void Door::accept_all() {
  while (!ending_) {
    const int client = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client >= 0)
      workers_.enqueue([this, client] { serve(client); });
    else if (errno == EMFILE || errno == ENFILE)
      // The process is out of file descriptors. Wait until one is closed.
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

void Door::serve(int client) {
  if (!admit(client)) return;
  const ConnectionLimits& limits = options_.limits;
  // Events are small and must not wait for more data to be sent with them.
  const int yes = 1;
  ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  const std::string head = read_until(client, "\r\n\r\n", limits.request_bytes, in(limits.request_time));
  const int server = head.empty() ? -1 : connect_to_loopback(behind_);
  if (server >= 0 && admit(server)) {
    if (send_all(server, head, in(limits.request_time))) pass_back(server, client);
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
    if (n <= 0 || !send_all(client, {part.data(), static_cast<std::size_t>(n)}, in(options_.limits.write_time))) return;
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

}  // namespace pollen::http
