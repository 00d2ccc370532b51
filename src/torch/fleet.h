// Implements NetworkFleet (network/network.h) over an Architecture.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

#include "architecture.h"
#include "network/network.h"

namespace pollen::torch_room {

// Makes a fleet. It puts nothing on the device before its first round.
std::unique_ptr<NetworkFleet> make_fleet(const NetworkSpec& network, const Architecture& architecture,
                                         const at::Device& device, const NetworkFleetSpec& spec);

}  // namespace pollen::torch_room
