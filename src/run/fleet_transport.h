// Clients of a network that are computed together, where the network computes (network/network.h, NetworkFleet): the
// same round, with the same draws and messages as far as gradients are the same numbers. Bytes are not made, lengths
// are.
#pragma once

#include <memory>

#include "pollen/transport.h"

namespace pollen {

// Null where the network has no fleet or the recipe is more than one can do: minibatches without or with an anchor
// (svrg), whole or qsgd messages, with a memory or without, equal weights. Questions go to the clients, on `threads`
// threads.
std::unique_ptr<Transport> make_fleet_transport(ClientView& view, Clients& clients, int threads);

}  // namespace pollen
