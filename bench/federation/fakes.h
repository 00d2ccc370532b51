// Clients that compute nothing: each says what a client of a federation says, with a reply made beforehand.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grpc/wires.h"

namespace pollen::bench {

struct FakeOptions {
  std::string address;
  std::vector<std::optional<TlsTexts>> tls;  // one a client, or one for all
  int clients = 1;
  Index dimension = 1;
  Bytes reply;  // a Reply's frame; round and client are put in
};

// Every client has a connection of its own. Returns when the server has hung up on all of them.
void run_fakes(const FakeOptions& options);

}  // namespace pollen::bench
