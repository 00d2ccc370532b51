// Plain sockets with time limits: what the door of an HTTP server needs. A deadline holds for all of a call, however
// many bytes come or go before it.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace pollen::http {

using Deadline = std::chrono::steady_clock::time_point;

// A socket that listens at a host's port, or at any free port where it is 0; -1 where that cannot be.
int listen_at(const std::string& host, int port);
int port_of(int socket);

int connect_to_loopback(int port);  // -1 where nobody listens

// All that comes until `end` has come, and nothing where it does not come in time or within `most` bytes.
std::string read_until(int socket, std::string_view end, std::size_t most, Deadline deadline);

bool send_all(int socket, std::string_view text, Deadline deadline);

}  // namespace pollen::http
