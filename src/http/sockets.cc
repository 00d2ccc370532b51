#include "sockets.h"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace pollen::http {

namespace {

bool await(int socket, short events, Deadline deadline) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    if (left < 0) return false;
    pollfd wanted{socket, events, 0};
    const int ready = ::poll(&wanted, 1, static_cast<int>(std::min<std::int64_t>(left, 60'000)));
    if (ready > 0) return (wanted.revents & events) != 0;
    if (ready < 0 && errno != EINTR) return false;
  }
}

bool binds(int socket, const addrinfo& to) {
  const int yes = 1, no = 0;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (to.ai_family == AF_INET6) ::setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  return ::bind(socket, to.ai_addr, to.ai_addrlen) == 0 && ::listen(socket, SOMAXCONN) == 0;
}

}  // namespace

int listen_at(const std::string& host, int port) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return -1;
  int result = -1;
  for (const addrinfo* to = found; to != nullptr && result < 0; to = to->ai_next) {
    const int socket = ::socket(to->ai_family, to->ai_socktype | SOCK_CLOEXEC, to->ai_protocol);
    if (socket < 0) continue;
    if (binds(socket, *to))
      result = socket;
    else
      ::close(socket);
  }
  ::freeaddrinfo(found);
  return result;
}

int port_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

int connect_to_loopback(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (socket < 0 || ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return socket;
  ::close(socket);
  return -1;
}

std::string read_until(int socket, std::string_view end, std::size_t most, Deadline deadline) {
  std::string came;
  std::array<char, 4096> part;
  while (came.size() < most && await(socket, POLLIN, deadline)) {
    const ssize_t n = ::recv(socket, part.data(), std::min(part.size(), most - came.size()), 0);
    if (n <= 0) break;
    const std::size_t before = came.size() - std::min(came.size(), end.size());
    came.append(part.data(), static_cast<std::size_t>(n));
    if (came.find(end, before) != std::string::npos) return came;
  }
  return {};
}

bool send_all(int socket, std::string_view text, Deadline deadline) {
  while (!text.empty()) {
    const ssize_t n = ::send(socket, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n > 0)
      text.remove_prefix(static_cast<std::size_t>(n));
    else if (errno == EAGAIN || errno == EWOULDBLOCK ? !await(socket, POLLOUT, deadline) : errno != EINTR)
      return false;
  }
  return true;
}

}  // namespace pollen::http
