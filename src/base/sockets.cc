#include "base/sockets.h"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace pollen::sockets {

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

// Gives the address the port that the first of a host's sockets has got.
void use_port(addrinfo& to, int port) {
  if (to.ai_family == AF_INET6)
    reinterpret_cast<sockaddr_in6*>(to.ai_addr)->sin6_port = htons(static_cast<std::uint16_t>(port));
  else
    reinterpret_cast<sockaddr_in*>(to.ai_addr)->sin_port = htons(static_cast<std::uint16_t>(port));
}

// Returns a socket that listens at an address, or -1.
int listening(const addrinfo& to) {
  const int socket = ::socket(to.ai_family, to.ai_socktype | SOCK_CLOEXEC, to.ai_protocol);
  if (socket < 0) return -1;
  const int yes = 1, no = 0;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (to.ai_family == AF_INET6) ::setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  if (::bind(socket, to.ai_addr, to.ai_addrlen) == 0 && ::listen(socket, SOMAXCONN) == 0) return socket;
  ::close(socket);
  return -1;
}

// Adds sockets that listen at the addresses of a host, at most so many in all.
void listen_at_addresses(const std::string& host, int port, std::size_t most, std::vector<int>& sockets) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return;
  for (addrinfo* to = found; to != nullptr && sockets.size() < most; to = to->ai_next) {
    if (!sockets.empty()) use_port(*to, port_of(sockets.front()));
    if (const int socket = listening(*to); socket >= 0) sockets.push_back(socket);
  }
  ::freeaddrinfo(found);
}

}  // namespace

int listen_at(const std::string& host, int port) {
  std::vector<int> sockets;
  listen_at_addresses(host, port, 1, sockets);
  return sockets.empty() ? -1 : sockets.front();
}

std::vector<int> listen_everywhere(const std::string& host, int port) {
  constexpr std::size_t kMost = 16;
  std::vector<int> sockets;
  // A socket for all of this machine's addresses of IPv6 also has those of IPv4.
  if (host == "0.0.0.0") listen_at_addresses("::", port, kMost, sockets);
  if (sockets.empty()) listen_at_addresses(host, port, kMost, sockets);
  return sockets;
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

}  // namespace pollen::sockets
