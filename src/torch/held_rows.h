// Rows kept on a device, and what the likelihood makes of their outputs.
#pragma once

#include <ATen/core/Tensor.h>

#include "network/network.h"

namespace pollen::torch_room {

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

}  // namespace pollen::torch_room
