// The HTTP server behind --metrics and --dashboard. It answers on its own threads, which run at low priority so that
// they do not slow down sampling. All of them start at once: those that accept, and two per connection that may be
// open, one for the door and one for the server behind it. Each connection carries one request. The number of requests
// that are answered at the same time is limited; further ones wait. Connections that say nothing keep no place. It is
// cpp-httplib's server, used through its public interface, behind a door that enforces the limits
// (src/http/listener.cc).
//
//   Listener listener({.connections = 2});
//   listener.Get("/", ...);                          // cpp-httplib's handlers
//   listener.start("--metrics", "127.0.0.1", 9000);  // answers until it is destroyed
#pragma once

#include <httplib.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

namespace pollen::http {

struct ListenerOptions {
  std::size_t connections = 2;
  std::size_t request_bytes = std::size_t{16} << 10;
  std::chrono::milliseconds request_time{5000};  // for the whole request to arrive
  std::chrono::milliseconds write_time{10000};   // for the next 64 KiB of an answer to be taken
};

class Door;

class Listener final : public httplib::Server {
 public:
  explicit Listener(const ListenerOptions& options);
  ~Listener() override;  // cuts the connections that are still open

  // Starts to answer. Port 0 means any free port. Throws an IoError that names `option` if it cannot listen.
  void start(const std::string& option, const std::string& host, int port);
  int port() const { return port_; }

 private:
  ListenerOptions options_;
  int port_ = 0;
  std::thread thread_;
  std::unique_ptr<Door> door_;
};

}  // namespace pollen::http
