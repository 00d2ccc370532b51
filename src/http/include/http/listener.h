// An HTTP server on threads of its own, which are nice to those that sample: what --metrics and --dashboard share.
// Every connection carries one request. There are so many at a time and no more: others wait in the kernel's queue.
// It is cpp-httplib's server, used by its public interface only, behind a door that keeps the limits (src/http/door.h).
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

struct ConnectionLimits {
  std::size_t request_bytes = std::size_t{16} << 10;
  std::chrono::milliseconds request_time{5000};  // until all of a request is here
  std::chrono::milliseconds write_time{10000};   // until the next 64 KiB of an answer are taken
};

struct ListenerOptions {
  std::size_t connections = 2;
  ConnectionLimits limits = {};
};

class Door;

class Listener final : public httplib::Server {
 public:
  explicit Listener(const ListenerOptions& options);
  ~Listener() override;  // cuts what is still open

  // Port 0: any free one. IoError, which names the option, where it cannot listen.
  void start(const std::string& option, const std::string& host, int port);
  int port() const { return port_; }

 private:
  ListenerOptions options_;
  int port_ = 0;
  std::thread thread_;
  std::unique_ptr<Door> door_;
};

}  // namespace pollen::http
