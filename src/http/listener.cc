#include "http/listener.h"

#include <fmt/format.h>
#include <unistd.h>

#include "door.h"
#include "pollen/errors.h"
#include "sockets.h"

namespace pollen::http {

Listener::Listener(const ListenerOptions& options) : options_(options) {
  new_task_queue = [this] { return new httplib::ThreadPool(options_.connections); };
  set_keep_alive_max_count(1);
  set_tcp_nodelay(true);
  set_payload_max_length(options_.limits.request_bytes);
  // The door sends a complete request at once, so nothing can follow later.
  set_read_timeout(std::chrono::seconds(1));
  // The door's shorter limit applies first.
  set_write_timeout(options_.limits.write_time + std::chrono::seconds(5));
  // The library's default options would let two servers share a port.
  set_socket_options([](int) {});
}

Listener::~Listener() {
  door_.reset();
  if (!thread_.joinable()) return;
  stop();
  thread_.join();
}

void Listener::start(const std::string& option, const std::string& host, int port) {
  const int listening = listen_at(host, port);
  const int behind = listening < 0 ? -1 : bind_to_any_port("127.0.0.1");
  if (behind <= 0) {
    if (listening >= 0) ::close(listening);
    throw IoError(
        fmt::format("{}: cannot listen at {}:{}: the address is taken or not this machine's", option, host, port));
  }
  port_ = port_of(listening);
  thread_ = std::thread([this] {
    be_nice();
    listen_after_bind();
  });
  // A stop() before the server runs would be lost.
  while (!is_running()) std::this_thread::yield();
  door_ = std::make_unique<Door>(listening, behind, options_);
}

}  // namespace pollen::http
