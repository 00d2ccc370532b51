// Takes connections in for a gRPC server, so that connections alone never use up the process's descriptors.
//
// gRPC's own listener takes whatever comes, and stops for good once there is no descriptor left; by then the server
// cannot open a file either. The Door therefore leaves the last descriptors to files. A connection that has not said
// anything yet waits at the door: few may do so at once, for a short time, and the oldest gives way to a new one. Only
// a connection that speaks is handed to gRPC, which bounds the time of its handshake, and only so many in that time
// that unfinished handshakes cannot fill the memory.
#pragma once

#include <grpcpp/server_builder.h>

#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace pollen {

using Acceptor = grpc::experimental::ExternalConnectionAcceptor;

// The longest time that a connection may take to say something, and then for the handshake of TLS or HTTP/2.
inline constexpr std::chrono::seconds kHandshakeWithin{10};

class Door {
 public:
  explicit Door(const std::string& address);  // listens at "host:port"; throws IoError if it cannot
  ~Door();                                    // takes nobody in any more
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  int port() const { return port_; }
  void open(std::unique_ptr<Acceptor> inside);  // from now on connections are taken in; called once

 private:
  struct Waiting {
    int socket;
    std::chrono::steady_clock::time_point since;
  };
  void serve(const std::stop_token& stop);
  void take_in(int listening);
  void look_at_waiting(const std::vector<short>& heard);
  bool room() const;
  bool may_hand_over();
  void send_oldest_away();

  std::vector<int> listening_;
  int port_ = 0;
  int last_ = 0;                  // descriptors from this number on are left to files
  std::size_t most_waiting_;      // connections that wait at once
  std::size_t most_handshakes_;   // connections that gRPC is given within the time of a handshake
  std::vector<Waiting> waiting_;  // the oldest first
  std::deque<std::chrono::steady_clock::time_point> handed_over_;  // when, within the time of a handshake
  std::unique_ptr<Acceptor> inside_;
  std::jthread thread_;
};

}  // namespace pollen
