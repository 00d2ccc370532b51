// Rows kept on a device, and the losses that the likelihood assigns to their outputs.
#pragma once

#include <ATen/core/Tensor.h>

#include "network/network.h"

namespace pollen::torch_room {

class Rows : public NetworkRows {
 public:
  std::int64_t rows() const override { return x.size(0); }
  at::Tensor x;  // rows × the architecture's row shape
  at::Tensor y;  // class indices (int64) or responses (float32); undefined if none were given
};

const Rows& own(const NetworkRows& held);  // throws std::runtime_error if another kind of network holds the rows

// Makes a tensor over the caller's memory, without a copy.
at::Tensor view_of(const float* numbers, std::int64_t count);

// Returns -log p of every row.
at::Tensor row_losses(const NetworkSpec& spec, const at::Tensor& outputs, const at::Tensor& y);

}  // namespace pollen::torch_room
