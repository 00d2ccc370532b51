#include "browser.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

namespace pollen::http {

Browser::Browser(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int small = 4096;  // small, so that the server soon notices a slow reader
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

Browser::~Browser() { ::close(socket_); }

bool Browser::say(const std::string& text) const {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::send(socket_, text.data() + done, text.size() - done, MSG_NOSIGNAL);
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

void Browser::say_no_more() const { ::shutdown(socket_, SHUT_WR); }

void Browser::get(const std::string& path, const std::string& host, const std::string& more) const {
  const std::string named = host.empty() ? "" : fmt::format("Host: {}\r\n", host);
  say(fmt::format("GET {} HTTP/1.1\r\n{}{}\r\n", path, named, more));
}

const std::string& Browser::read_until(const std::string& words) {
  static char part[1 << 20];
  bool found = !words.empty() && came_.find(words) != std::string::npos;
  while (!hung_up_ && !found) {
    const ssize_t n = ::recv(socket_, part, sizeof part, 0);
    hung_up_ = n <= 0;
    if (hung_up_) break;
    const std::size_t before = came_.size();
    came_.append(part, static_cast<std::size_t>(n));
    found = !words.empty() && came_.find(words, before - std::min(before, words.size())) != std::string::npos;
  }
  return came_;
}

std::string answer(int port, const std::string& path, const std::string& host, const std::string& more) {
  Browser browser(port);
  browser.get(path, host, more);
  return browser.read_all();
}

int status(const std::string& answer) { return answer.starts_with("HTTP/1.1 ") ? std::atoi(answer.c_str() + 9) : 0; }

}  // namespace pollen::http
