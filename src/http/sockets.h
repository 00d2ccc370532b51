// Plain sockets with time limits, as the door of an HTTP server needs them. A deadline covers the whole call, however
// many bytes are transferred before it. The functions share no state and may be called from any thread.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace pollen::http {

using Deadline = std::chrono::steady_clock::time_point;

// Returns a socket that listens at a host's port (0 means any free port), or -1 if that is impossible.
int listen_at(const std::string& host, int port);
int port_of(int socket);

int connect_to_loopback(int port);  // -1 if nobody listens

// Returns all bytes received by the time `end` has arrived, or an empty string if `end` does not arrive in time or
// within `most` bytes.
std::string read_until(int socket, std::string_view end, std::size_t most, Deadline deadline);

bool send_all(int socket, std::string_view text, Deadline deadline);

}  // namespace pollen::http
