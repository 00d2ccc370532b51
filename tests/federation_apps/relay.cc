#include "relay.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <vector>

namespace pollen {

namespace {

constexpr std::size_t kMostWaiting = 64;  // pieces; with more of them the sender must wait

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void prepare(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
}

}  // namespace

Relay::Relay(Weather weather, unsigned seed) : weather_(weather), random_(seed) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof(address);
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_, plain, size) != 0 || ::listen(listener_, 64) != 0 ||
      ::getsockname(listener_, plain, &size) != 0)
    throw std::runtime_error("the relay cannot listen");
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { work(); });
}

Relay::~Relay() {
  over_ = true;
  thread_.join();
  for (Pair& pair : pairs_) break_off(pair, false);
  ::close(listener_);
}

void Relay::accept_one() {
  const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (client < 0) return;
  const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(target_);
  // On one machine this succeeds or fails at once.
  if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    ::close(server);
    ::close(client);
    return;
  }
  prepare(client);
  prepare(server);
  Pair pair;
  pair.sides[0].socket = client;
  pair.sides[1].socket = server;
  pairs_.push_back(std::move(pair));
}

void Relay::break_off(Pair& pair, bool rudely) {
  if (pair.broken) return;
  pair.broken = true;
  for (const Side& side : pair.sides) {
    const linger reset{1, 0};
    if (rudely) ::setsockopt(side.socket, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
    ::close(side.socket);
  }
}

void Relay::take(Pair& pair, int from) {
  Side& source = pair.sides[from];
  Side& to = pair.sides[1 - from];
  std::array<char, 16384> room{};
  const ssize_t got = ::recv(source.socket, room.data(), room.size(), 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) {
    source.over = true;
    return;
  }
  if (strikes(weather_.cut)) {
    ++cuts_;
    return break_off(pair, random_() % 2 == 0);
  }
  Clock::time_point due = to.waiting.empty() ? Clock::now() : std::max(Clock::now(), to.waiting.back().due);
  if (strikes(weather_.delay)) {
    ++delays_;
    due += std::chrono::milliseconds(1 + static_cast<int>(random_()) % std::max(1, weather_.most_milliseconds));
  }
  to.waiting.push_back({std::string(room.data(), static_cast<std::size_t>(got)), due});
}

void Relay::give(Side& to) {
  if (to.waiting.empty() || to.waiting.front().due > Clock::now()) return;
  std::string& bytes = to.waiting.front().bytes;
  const ssize_t sent = ::send(to.socket, bytes.data(), std::min(bytes.size(), weather_.bytes_per_look), MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN && errno != EINTR) {
    to.over = true;
    to.waiting.clear();
  }
  if (sent > 0) bytes.erase(0, static_cast<std::size_t>(sent));
  if (bytes.empty()) to.waiting.pop_front();
}

// Carries out what the test asks for.
void Relay::obey() {
  const int wanted = wanted_.exchange(0);
  if (wanted == 0 || pairs_.empty()) return;
  const std::size_t one = random_() % pairs_.size();
  std::size_t at = 0;
  for (Pair& pair : pairs_)
    if (const bool hit = wanted == 2 || at++ == one; hit && !pair.broken) {
      ++cuts_;
      break_off(pair, random_() % 2 == 0);
    }
}

int Relay::patience() const {
  int milliseconds = 5;
  for (const Pair& pair : pairs_)
    for (const Side& side : pair.sides)
      if (!side.waiting.empty())
        milliseconds = std::min(milliseconds, side.waiting.front().due <= Clock::now() ? 0 : 1);
  return milliseconds;
}

void Relay::work() {
  while (!over_) {
    obey();
    for (Pair& pair : pairs_)
      for (int i = 0; i < 2 && !pair.broken; ++i) {
        give(pair.sides[i]);
        if (pair.sides[i].over && pair.sides[1 - i].waiting.empty()) break_off(pair, false);
      }
    pairs_.remove_if([](const Pair& pair) { return pair.broken; });
    std::vector<pollfd> watched = {{listener_, POLLIN, 0}};
    for (const Pair& pair : pairs_)
      for (int i = 0; i < 2; ++i) {
        const bool open = !pair.sides[i].over && pair.sides[1 - i].waiting.size() < kMostWaiting;
        watched.push_back({open ? pair.sides[i].socket : -1, POLLIN, 0});
      }
    ::poll(watched.data(), watched.size(), patience());
    std::size_t at = 1;
    for (Pair& pair : pairs_)
      for (int i = 0; i < 2; ++i, ++at)
        if (!pair.broken && watched[at].revents != 0) take(pair, i);
    if (watched[0].revents != 0) accept_one();
  }
}

}  // namespace pollen
