// The door of an HTTP server: strangers talk to it, and it talks to the server, which listens on a port of its own. So
// limits hold that an HTTP library does not offer: a whole request is here in time and is not too long, an answer is
// taken in time, and all connections can be cut at once. A peer that is slow, silent or endless ends its own connection
// and nothing else.
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
  // Takes over `listening`, a socket, and passes requests on to the server at `behind`, a port of this machine.
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
