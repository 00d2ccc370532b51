// One connection of a Listener, for one request: so many bytes may come and no more, within a time; what is sent must
// make progress. A peer that is slow, silent or endless ends its own connection and nothing else.
#pragma once

#include <httplib.h>

#include <array>
#include <chrono>

namespace pollen::http {

struct ConnectionLimits {
  std::size_t request_bytes = std::size_t{16} << 10;
  std::chrono::milliseconds request_time{5000};  // until all of a request is here
  std::chrono::milliseconds write_time{10000};   // until a write is taken
};

class Connection final : public httplib::Stream {
 public:
  Connection(socket_t socket, const ConnectionLimits& limits);

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* to, std::size_t size) override;
  ssize_t write(const char* from, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool await(short events, Clock::time_point until) const;

  socket_t socket_;
  ConnectionLimits limits_;
  Clock::time_point read_until_;
  std::size_t came_ = 0;
  std::array<char, 4096> buffer_;
  std::size_t first_ = 0, last_ = 0;  // of what is in it
};

}  // namespace pollen::http
