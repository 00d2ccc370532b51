// Plain sockets with time limits, as the doors of servers need them. A deadline covers the whole call, however
// many bytes are transferred before it. The functions share no state and may be called from any thread.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace pollen::sockets {

using Deadline = std::chrono::steady_clock::time_point;

// Returns a socket that listens at a host's port (0 means any free port), or -1 if that is impossible.
int listen_at(const std::string& host, int port);
// Returns the sockets that listen at all of a host's addresses, at the same port (0 means any free port). There are
// none if that is impossible.
std::vector<int> listen_everywhere(const std::string& host, int port);
int port_of(int socket);

int connect_to_loopback(int port);  // -1 if nobody listens

bool send_all(int socket, std::string_view text, Deadline deadline);

}  // namespace pollen::sockets
