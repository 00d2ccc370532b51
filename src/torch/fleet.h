// NetworkFleet over an Architecture.
#pragma once

#include <memory>

#include "architecture.h"
#include "pollen/network.h"

namespace pollen::torch_room {

// Rows kept on the device.
class Rows : public NetworkRows {
 public:
  std::int64_t rows() const override { return x.size(0); }
  at::Tensor x;  // rows × the architecture's row shape
  at::Tensor y;  // class indices (int64) or responses (float32); undefined where none were given
};

const Rows& own(const NetworkRows& held);  // std::runtime_error where another kind of network holds them

// A tensor over the caller's memory.
at::Tensor view_of(const float* numbers, std::int64_t count);

// -log p of every row.
at::Tensor row_losses(const NetworkSpec& spec, const at::Tensor& outputs, const at::Tensor& y);

std::unique_ptr<NetworkFleet> make_fleet(const NetworkSpec& network, const Architecture& architecture,
                                         const at::Device& device, const NetworkFleetSpec& spec);

}  // namespace pollen::torch_room
