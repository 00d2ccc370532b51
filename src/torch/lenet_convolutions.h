// The two convolutions of LeNet-5 with their pools and ReLUs, for groups of rows (grouped.h), in two kernels on a GPU.
// Separate layers would move some hundred times as many bytes.
#pragma once

#include <ATen/core/Tensor.h>

namespace pollen::torch_room {

struct LenetTensors {
  at::Tensor weight1, bias1, weight2, bias2;  // the first dimension is the group
};

// Maps rows × 1 × 28 × 28 to rows × 400, in float32 on a GPU. It exists only in modules built with CUDA.
at::Tensor lenet_convolutions(const at::Tensor& x, const LenetTensors& t);

}  // namespace pollen::torch_room
