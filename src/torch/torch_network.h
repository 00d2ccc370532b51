// Network over an Architecture: rows on the device, sums over fixed blocks of rows, gradients by autograd.
#pragma once

#include <memory>

#include "architecture.h"
#include "network/network.h"

namespace pollen::torch_room {

std::unique_ptr<Network> make_network(const NetworkSpec& spec);

}  // namespace pollen::torch_room
