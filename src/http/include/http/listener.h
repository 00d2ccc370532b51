// An HTTP server on threads of its own, which are nice to those that sample: what --metrics and --dashboard share.
// Every connection carries one request. There are so many at a time and no more: others wait in the kernel's queue.
//
//   Listener listener({.connections = 2});
//   listener.Get("/", ...);                          // cpp-httplib's handlers
//   listener.start("--metrics", "127.0.0.1", 9000);  // answers until it is destroyed
#pragma once

#include <httplib.h>

#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "http/connection.h"

namespace pollen::http {

struct ListenerOptions {
  std::size_t connections = 2;
  ConnectionLimits limits = {};
};

class Listener final : public httplib::Server {
 public:
  explicit Listener(const ListenerOptions& options);
  ~Listener() override;  // cuts what is still open

  // Port 0: any free one. IoError, which names the option, where it cannot listen.
  void start(const std::string& option, const std::string& host, int port);
  int port() const { return port_; }

 private:
  bool process_and_close_socket(socket_t socket) override;
  bool admit(socket_t socket);
  void dismiss(socket_t socket);
  void end_connections();

  ListenerOptions options_;
  int port_ = 0;
  std::mutex mutex_;
  std::set<socket_t> open_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace pollen::http
