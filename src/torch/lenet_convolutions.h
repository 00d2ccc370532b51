// The two convolutions of LeNet-5 with their pools and ReLUs, for groups of rows (grouped.h), in two kernels on a GPU:
// as separate layers they move some hundred times the bytes.
#pragma once

#include <ATen/core/Tensor.h>

namespace pollen::torch_room {

struct LenetTensors {
  at::Tensor weight1, bias1, weight2, bias2;  // a group's dimension first
};

// rows × 1 × 28 × 28 → rows × 400. Where the module is built with CUDA; float32 on a GPU.
at::Tensor lenet_convolutions(const at::Tensor& x, const LenetTensors& t);

}  // namespace pollen::torch_room
