// Implements Network over an Architecture: rows on the device, sums over fixed blocks of rows, and gradients by
// autograd. Const calls are thread-safe.
#pragma once

#include <memory>

#include "architecture.h"
#include "network/network.h"

namespace pollen::torch_room {

std::unique_ptr<Network> make_network(const NetworkSpec& spec);

}  // namespace pollen::torch_room
