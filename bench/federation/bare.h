// A gRPC server that does only what every server of these frames must do: read what comes and write what goes. It is
// the baseline for the federation's server.
#pragma once

#include <optional>
#include <string>

#include "grpc/wires.h"

namespace pollen::bench {

// Serves clients like those of fakes.h. Each is welcomed and then sent `broadcast` `turns` times, each time after it
// has answered the last one; the first `warm` turns are not counted. `port` is called with the port on which it
// listens. Returns processor seconds per message.
double bare_seconds(const std::optional<TlsTexts>& tls, int clients, int turns, int warm, const Bytes& broadcast,
                    const std::function<void(int)>& port);

}  // namespace pollen::bench
