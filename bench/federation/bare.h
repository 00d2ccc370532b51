// A gRPC server that does nothing but what every server of these frames must: what comes is read, what goes is written.
#pragma once

#include <optional>
#include <string>

#include "grpc/wires.h"

namespace pollen::bench {

// Clients as in fakes.h; each is welcomed and then sent `broadcast` `turns` times, whenever it has answered the last.
// `warm` turns are not counted. `port` is told where it listens. Processor seconds a message.
double bare_seconds(const std::optional<TlsTexts>& tls, int clients, int turns, int warm, const Bytes& broadcast,
                    const std::function<void(int)>& port);

}  // namespace pollen::bench
