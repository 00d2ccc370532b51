// Layers at one θ for the rows of several groups of equal size, one group after the other, whose gradients come a group
// each. Their tensors have one dimension more than plain ones, the group's, and the same numbers in every group.
#pragma once

#include <ATen/core/Tensor.h>

namespace pollen::torch_room {

at::Tensor grouped_linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

struct ConvShape {
  std::int64_t stride = 1, padding = 0;
};
// `bias` may be undefined.
at::Tensor grouped_conv(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, ConvShape shape);

// A number a channel, groups × channels, as rows × channels × 1 × 1.
at::Tensor by_row(const at::Tensor& t, std::int64_t rows);

}  // namespace pollen::torch_room
