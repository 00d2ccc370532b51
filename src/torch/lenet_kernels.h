// The GPU kernels behind lenet_convolutions.h.
#pragma once

#include <cstdint>

namespace pollen::torch_room {

// All pointers are to device memory. θ holds weight1 (6 × 25), bias1, weight2 (16 × 6 × 25) and bias2, one after the
// other.
struct LenetForward {
  std::int64_t rows = 0;
  const float *x = nullptr, *theta = nullptr;
  float *first = nullptr, *second = nullptr;  // after pool and ReLU: rows × 6 × 14 × 14, rows × 16 × 5 × 5
  // Which of a pool's four values was taken; 4 means that ReLU cut it.
  std::uint8_t *which1 = nullptr, *which2 = nullptr;
};
void lenet_forward(const LenetForward& pass, void* stream);

struct LenetBackward {
  std::int64_t groups = 0, each = 0;  // rows = groups · each
  const float *x = nullptr, *theta = nullptr, *first = nullptr;
  const std::uint8_t *which1 = nullptr, *which2 = nullptr;
  const float* above = nullptr;  // rows × 400: gradients of `second`
  float* partial = nullptr;      // groups × lenet_parts(each) × kLenetTheta
  float* out = nullptr;          // groups × kLenetTheta
};
void lenet_backward(const LenetBackward& pass, void* stream);

constexpr std::int64_t kLenetTheta = 150 + 6 + 2400 + 16;
constexpr std::int64_t kLenetImages = 2;  // images per block
constexpr std::int64_t lenet_parts(std::int64_t each) { return (each + kLenetImages - 1) / kLenetImages; }

}  // namespace pollen::torch_room
