// A proxy in front of an HTTP server. Clients connect to the door, and the door connects to the server, which listens
// on its own local port. The door enforces limits that the HTTP library lacks: a request must arrive in time and within
// a size limit, an answer must be taken in time, and all connections can be cut at once. A slow, silent or endless peer
// loses its own connection and affects no other. The door runs on its own threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include "http/listener.h"
#include "workers.h"

namespace pollen::http {

class Door {
 public:
  // Takes ownership of the socket `listening` and forwards requests to the server at the local port `behind`.
  Door(int listening, int behind, const ListenerOptions& options);
  ~Door();  // passes on what the server has said, for a moment, then cuts every connection

 private:
  void accept_all();
  void serve(int client);
  void pass_back(int server, int client) const;
  bool admit(int socket);
  void dismiss(int socket);

  int listening_, behind_;
  ListenerOptions options_;
  std::mutex mutex_;
  std::condition_variable closed_;
  std::set<int> open_;
  std::atomic<bool> ending_ = false;
  Workers workers_;
  std::thread thread_;
};

}  // namespace pollen::http
