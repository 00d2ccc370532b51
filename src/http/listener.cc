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
  set_read_timeout(std::chrono::seconds(1));  // the door sends a request at once; what is missing then will not come
  set_write_timeout(options_.limits.write_time + std::chrono::seconds(5));  // the door loses patience first
  set_socket_options([](int) {});  // the library's default lets two servers share a port
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
  while (!is_running()) std::this_thread::yield();  // a stop() before that would be lost
  door_ = std::make_unique<Door>(listening, behind, options_);
}

}  // namespace pollen::http
