// Clients that compute nothing: each sends what a client of a federation sends, with a reply made beforehand.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grpc/wires.h"

namespace pollen::bench {

struct FakeOptions {
  std::string address;
  std::vector<std::optional<TlsTexts>> tls;  // one per client, or one for all
  int clients = 1;
  Index dimension = 1;
  Bytes reply;  // the frame of a Reply; round and client are filled in
};

// Runs the clients, each on a connection of its own. Returns when the server has closed all of them.
void run_fakes(const FakeOptions& options);

}  // namespace pollen::bench
