// A transport that computes all clients of a neural network together on the network's device (NetworkFleet in
// network/network.h). Draws and messages equal those of other transports as far as gradients are the same numbers.
// Messages are not written as bytes; only their lengths are computed.
#pragma once

#include <memory>

#include "pollen/transport.h"

namespace pollen {

// Returns null if the network has no fleet or a fleet cannot run the recipe. It can run minibatches with or without an
// anchor (svrg), uncompressed or qsgd messages, with or without a memory, and equal weights. Queries are answered by
// the clients themselves, on `threads` threads.
std::unique_ptr<Transport> make_fleet_transport(ClientView& view, Clients& clients, int threads);

}  // namespace pollen
