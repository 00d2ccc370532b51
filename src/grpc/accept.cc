#include "accept.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "base/sockets.h"
#include "pollen/errors.h"

namespace pollen {

namespace {

constexpr int kForFiles = 64;    // descriptors that connections may not use
constexpr int kAtOnce = 16;      // connections taken in one after another before those that wait are looked at
constexpr int kLookEvery = 100;  // milliseconds

// Raises the limit on open descriptors as far as the user may, and returns it.
int most_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
  if (limit.rlim_cur < limit.rlim_max) {
    const rlimit raised{limit.rlim_max, limit.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  return static_cast<int>(std::min<rlim_t>(limit.rlim_cur, std::numeric_limits<int>::max()));
}

void set(int socket, int level, int option, int value) { ::setsockopt(socket, level, option, &value, sizeof value); }

}  // namespace

Door::Door(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  listening_ = sockets::listen_everywhere(host, std::stoi(address.substr(colon + 1)));
  if (listening_.empty())
    throw IoError(fmt::format("cannot listen at {}: the address is taken or not this machine's", address));
  for (const int socket : listening_) ::fcntl(socket, F_SETFL, O_NONBLOCK);  // whoever knocked may have left again
  port_ = sockets::port_of(listening_.front());
  const int most = most_descriptors();
  last_ = most - std::min(kForFiles, most / 4);
  most_waiting_ = static_cast<std::size_t>(std::clamp(most / 4, 16, 1024));
  most_handshakes_ = 2 * most_waiting_;
}

void Door::open(std::unique_ptr<Acceptor> inside) {
  inside_ = std::move(inside);
  thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
}

Door::~Door() {
  thread_ = {};
  for (const Waiting& waiting : waiting_) ::close(waiting.socket);
  for (const int socket : listening_) ::close(socket);
}

void Door::serve(const std::stop_token& stop) {
  std::vector<pollfd> looked;
  while (!stop.stop_requested()) {
    looked.clear();
    // Where nobody else can be taken in, newcomers stay in the kernel's queue.
    const auto events = static_cast<short>(room() || !waiting_.empty() ? POLLIN : 0);
    for (const int socket : listening_) looked.push_back({socket, events, 0});
    const auto to_waiting = static_cast<short>(may_hand_over() ? POLLIN : 0);
    for (const Waiting& waiting : waiting_) looked.push_back({waiting.socket, to_waiting, 0});
    if (::poll(looked.data(), looked.size(), kLookEvery) < 0) continue;
    std::vector<short> heard;
    for (std::size_t i = listening_.size(); i < looked.size(); ++i) heard.push_back(looked[i].revents);
    look_at_waiting(heard);
    for (std::size_t i = 0; i < listening_.size(); ++i)
      if ((looked[i].revents & POLLIN) != 0) take_in(listening_[i]);
  }
}

// Hands those that spoke to gRPC, and closes those that are gone or have waited too long.
void Door::look_at_waiting(const std::vector<short>& heard) {
  const auto too_long = std::chrono::steady_clock::now() - kHandshakeWithin;
  std::vector<Waiting> left;
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    const auto [socket, since] = waiting_[i];
    const bool spoke = (heard[i] & POLLIN) != 0;
    char first = 0;
    if (spoke && may_hand_over() && ::recv(socket, &first, 1, MSG_PEEK) == 1) {
      handed_over_.push_back(std::chrono::steady_clock::now());
      Acceptor::NewConnectionParameters connection;
      connection.fd = socket;
      inside_->HandleNewConnection(&connection);
    } else if (since < too_long || (heard[i] != 0 && (!spoke || may_hand_over()))) {
      ::close(socket);
    } else {
      left.push_back(waiting_[i]);
    }
  }
  waiting_ = std::move(left);
}

void Door::take_in(int listening) {
  for (int i = 0; i < kAtOnce; ++i) {
    if (waiting_.size() >= most_waiting_ || !room()) send_oldest_away();
    if (!room()) return;
    const int socket = ::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket < 0) return;
    set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(std::chrono::milliseconds(kHandshakeWithin).count()));
    waiting_.push_back({socket, std::chrono::steady_clock::now()});
  }
}

// Whether another connection leaves enough descriptors to files. A new descriptor has the smallest number that is free.
bool Door::room() const {
  const int next = ::fcntl(listening_.front(), F_DUPFD_CLOEXEC, 0);
  if (next >= 0) ::close(next);
  return next >= 0 && next < last_;
}

// Whether another handshake may begin. Those that began earlier than this have ended, in one way or another.
bool Door::may_hand_over() {
  const auto ended = std::chrono::steady_clock::now() - kHandshakeWithin;
  while (!handed_over_.empty() && handed_over_.front() < ended) handed_over_.pop_front();
  return handed_over_.size() < most_handshakes_;
}

void Door::send_oldest_away() {
  if (waiting_.empty()) return;
  ::close(waiting_.front().socket);
  waiting_.erase(waiting_.begin());
}

}  // namespace pollen
