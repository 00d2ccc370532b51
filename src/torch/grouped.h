// Layers that give one gradient per group of rows. All groups share one θ and have equal size, and their rows come one
// group after the other. The layers' tensors have an additional first dimension for the group, with the same numbers in
// every group.
#pragma once

#include <ATen/core/Tensor.h>

namespace pollen::torch_room {

at::Tensor grouped_linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

struct ConvShape {
  std::int64_t stride = 1, padding = 0;
};
// Convolves with grouped weights. `bias` may be undefined.
at::Tensor grouped_conv(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, ConvShape shape);

// Turns one number per channel (groups × channels) into rows × channels × 1 × 1.
at::Tensor by_row(const at::Tensor& t, std::int64_t rows);

}  // namespace pollen::torch_room
