#include "http/connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace pollen::http {

Connection::Connection(socket_t socket, const ConnectionLimits& limits)
    : socket_(socket), limits_(limits), read_until_(Clock::now() + limits.request_time) {}

bool Connection::await(short events, Clock::time_point until) const {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left < 0) return false;
    pollfd wanted{socket_, events, 0};
    const int ready = ::poll(&wanted, 1, static_cast<int>(std::min<std::int64_t>(left, 60'000)));
    if (ready > 0) return (wanted.revents & events) != 0;
    if (ready < 0 && errno != EINTR) return false;
  }
}

bool Connection::is_readable() const { return first_ < last_ || await(POLLIN, read_until_); }

// Asked before every part of an endless answer; a full line is waited for by write().
bool Connection::is_writable() const {
  char byte = 0;
  const ssize_t n = ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return n > 0 || (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR));
}

ssize_t Connection::read(char* to, std::size_t size) {
  if (first_ == last_) {
    if (came_ >= limits_.request_bytes || !await(POLLIN, read_until_)) return -1;
    const ssize_t n = ::recv(socket_, buffer_.data(), std::min(buffer_.size(), limits_.request_bytes - came_), 0);
    if (n <= 0) return n;
    first_ = 0;
    last_ = static_cast<std::size_t>(n);
    came_ += last_;
  }
  const std::size_t n = std::min(size, last_ - first_);
  std::memcpy(to, buffer_.data() + first_, n);
  first_ += n;
  return static_cast<ssize_t>(n);
}

ssize_t Connection::write(const char* from, std::size_t size) {
  const auto until = Clock::now() + limits_.write_time;
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = ::send(socket_, from + done, size - done, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n > 0) {
      done += static_cast<std::size_t>(n);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!await(POLLOUT, until)) return -1;
    } else if (errno != EINTR) {
      return -1;
    }
  }
  return static_cast<ssize_t>(size);
}

// Nobody here asks.
void Connection::get_remote_ip_and_port(std::string& ip, int& port) const { ip.clear(), port = 0; }
void Connection::get_local_ip_and_port(std::string& ip, int& port) const { ip.clear(), port = 0; }

}  // namespace pollen::http
