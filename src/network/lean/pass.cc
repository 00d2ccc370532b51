#include "lean/pass.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pollen::lean {
namespace {

constexpr Index kImage = kFirst.size * kFirst.size * kGroup;
constexpr Index kPooled = kFirst.pooled_units() * kGroup;
constexpr Index kCodes = kSecond.pooled_units() * kGroup;
constexpr Index kGroups = kBlock / kGroup;
constexpr Index kFirstBias = kFirst.weights();
constexpr Index kSecondWeights = kFirstBias + kFirst.out, kSecondBias = kSecondWeights + kSecond.weights();

template <class Vector>
void at_least(Vector& v, Index size) {
  if (v.size() < static_cast<std::size_t>(size)) v.resize(static_cast<std::size_t>(size));
}

float* data(std::vector<AlignedVector<float>>& v, Index k) { return v[static_cast<std::size_t>(k)].data(); }

}  // namespace

Memory& Memory::of_thread(const Shape& shape) {
  static thread_local Memory memory;
  memory.fit(shape);
  return memory;
}

void Memory::fit(const Shape& shape) {
  at_least(a, shape.layers() + 1);
  at_least(slope, shape.layers() + 1);
  at_least(delta, shape.layers() + 1);
  for (Index k = 0; k <= shape.layers(); ++k) {
    const auto layer = static_cast<std::size_t>(k);
    const Index units = whole_groups(shape.size(k));
    at_least(a[layer], units * kBlock);
    if (k > 0 && shape.activation == Activation::swish) at_least(slope[layer], units * kBlock);
    if (k > 0 || shape.lenet) {
      at_least(delta[layer], units * kBlock);
      at_least(across, units * kBlock);
    }
  }
  if (!shape.lenet) return;
  at_least(images, kGroups * kImage);
  at_least(pooled, kGroups * kPooled);
  at_least(which_first, kGroups * kPooled);
  at_least(which_second, kGroups * kCodes);
  at_least(delta_first, kPooled);
  at_least(delta_second, kCodes);
  at_least(spread, std::max(kFirst.out * 2 * kFirst.across(), 4 * kSecond.pooled_units()) * kGroup);
  at_least(convolved, (kConvolved + 4) * kGroup);
}

float* Pass::delta_after(Index k) { return k + 1 == shape_.layers() ? data(m_.a, k + 1) : data(m_.delta, k + 1); }

const float* Pass::forward(const Block& block) {
  const Index stride = block.stride;
  if (shape_.lenet) {
    convolve(block);
  } else {
    for (Index g = 0; g < stride; g += kGroup) transpose_group(block.x + g, shape_.size(0), data(m_.a, 0) + g, stride);
  }
  for (Index k = 0; k < shape_.layers(); ++k) {
    const Index in = shape_.size(k), out = shape_.size(k + 1);
    float* z = data(m_.a, k + 1);
    fill_units(theta_ + shape_.biases(k), out, stride, z);
    multiply_add({theta_ + shape_.weights(k), in, 1, out, in}, data(m_.a, k), z, stride);
    if (k + 1 < shape_.layers()) activate(shape_.activation, z, data(m_.slope, k + 1), out * stride);
  }
  return data(m_.a, shape_.layers());
}

void Pass::convolve(const Block& block) {
  for (Index g = 0; g < block.stride / kGroup; ++g) {
    float* image = m_.images.data() + g * kImage;
    const float* rows[kGroup];
    for (Index row = 0; row < 28; ++row) {
      for (Index l = 0; l < kGroup; ++l) rows[l] = block.x[g * kGroup + l] + row * 28;
      transpose_group(rows, 28, image + ((row + 2) * kFirst.size + 2) * kGroup, kGroup);
    }
    float* pooled = m_.pooled.data() + g * kPooled;
    lean::convolve(kFirst, image, theta_, pooled, kGroup, m_.which_first.data() + g * kPooled);
    lean::convolve(kSecond, pooled, theta_ + kSecondWeights, data(m_.a, 0) + g * kGroup, block.stride,
                   m_.which_second.data() + g * kCodes);
  }
}

double Pass::loss(const Block& block) {
  if (!shape_.spec.classifies) return response_loss(block);
  alignas(64) float each[kBlock];
  cross_entropy(data(m_.a, shape_.layers()), shape_.spec.outputs, block.stride, block.y, block.rows, each);
  double sum = 0;
  for (Index l = 0; l < block.rows; ++l) sum += static_cast<double>(each[l]);
  return sum;
}

double Pass::response_loss(const Block& block) {
  const double sd = shape_.spec.noise_sd;
  const double constant = std::log(sd) + 0.5 * std::log(2 * std::numbers::pi);
  float* f = data(m_.a, shape_.layers());
  double sum = 0;
  for (Index l = 0; l < block.stride; ++l) {
    const double error = (static_cast<double>(f[l]) - static_cast<double>(block.y[l])) / sd;
    if (l < block.rows) sum += 0.5 * error * error + constant;
    f[l] = l < block.rows ? static_cast<float>(error / sd) : 0.0f;
  }
  return sum;
}

void Pass::deltas(const Block& block) {
  for (Index k = shape_.layers() - 1; k >= (shape_.lenet ? 0 : 1); --k) {
    const Index in = shape_.size(k), out = shape_.size(k + 1);
    float* delta = data(m_.delta, k);
    std::fill_n(delta, in * block.stride, 0.0f);
    multiply_add({theta_ + shape_.weights(k), 1, in, in, out}, delta_after(k), delta, block.stride);
    if (k > 0) chain(shape_.activation, data(m_.a, k), data(m_.slope, k), delta, in * block.stride);
  }
}

// Computes the squared gradient norm of each row. A row's gradient in a layer is the outer product of two vectors, so
// its norm is the product of their norms.
void Pass::squares(const Block& block, double* square) {
  alignas(64) float of_delta[kBlock], of_input[kBlock];
  std::fill_n(square, block.stride, 0.0);
  for (Index k = 0; k < shape_.layers(); ++k) {
    square_units(delta_after(k), shape_.size(k + 1), block.stride, of_delta);
    square_units(data(m_.a, k), shape_.size(k), block.stride, of_input);
    for (Index l = 0; l < block.stride; ++l)
      square[l] += static_cast<double>(of_delta[l]) * (static_cast<double>(of_input[l]) + 1.0);
  }
}

void Pass::convolve_back(Index g, Index stride) {
  const float* image = m_.images.data() + g * kImage;
  const float* pooled = m_.pooled.data() + g * kPooled;
  float* gradient = m_.convolved.data();
  float* delta = m_.delta_second.data();
  rectify(kSecond, data(m_.a, 0) + g * kGroup, stride, data(m_.delta, 0) + g * kGroup, stride, delta,
          gradient + kSecondBias * kGroup);
  weights_second(pooled, delta, m_.which_second.data() + g * kCodes, m_.spread.data(),
                 gradient + kSecondWeights * kGroup);
  delta = m_.delta_first.data();
  inputs_second(m_.spread.data(), theta_ + kSecondWeights, delta);
  rectify(kFirst, pooled, kGroup, delta, kGroup, delta, gradient + kFirstBias * kGroup);
  weights_first(image, delta, m_.which_first.data() + g * kPooled, m_.spread.data(), gradient);
}

void Pass::layer_gradient(const Block& block, Index k, float* out) {
  const Index in = shape_.size(k), units = shape_.size(k + 1), padded_in = whole_groups(in);
  const float* rows[kBlock];
  if (k == 0 && !shape_.lenet) {
    std::copy_n(block.x, kBlock, rows);
  } else {
    const float* of_unit[kGroup];
    for (Index u = 0; u < in; u += kGroup) {
      for (Index i = 0; i < kGroup; ++i) of_unit[i] = data(m_.a, k) + (u + i) * block.stride;
      transpose_group(of_unit, block.stride, m_.across.data() + u, padded_in);
    }
    for (Index l = 0; l < block.stride; ++l) rows[l] = m_.across.data() + l * padded_in;
  }
  alignas(64) float ones[kBlock];
  std::fill_n(ones, kBlock, 1.0f);
  outer_add({delta_after(k), block.stride, rows, block.rows, units, in}, out + shape_.weights(k));
  sum_lanes(delta_after(k), units, block.stride, ones, out + shape_.biases(k));
}

void Pass::backward(const Block& block, double clip, float* out) {
  const bool clips = std::isfinite(clip);
  double square[kBlock];
  alignas(64) float factor[kBlock], of_convolved[kGroup];
  std::fill_n(factor, kBlock, 1.0f);
  deltas(block);
  if (clips) squares(block, square);
  for (Index l = 0; l < block.stride; l += kGroup) {
    if (shape_.lenet) convolve_back(l / kGroup, block.stride);
    if (clips && shape_.lenet) {
      square_units(m_.convolved.data(), kConvolved, kGroup, of_convolved);
      for (Index i = 0; i < kGroup; ++i) square[l + i] += static_cast<double>(of_convolved[i]);
    }
    for (Index i = l; clips && i < l + kGroup; ++i)
      if (square[i] > clip * clip) factor[i] = static_cast<float>(clip / std::sqrt(square[i]));
    if (shape_.lenet) sum_lanes(m_.convolved.data(), kConvolved, kGroup, factor + l, out);
  }
  for (Index k = 0; k < shape_.layers(); ++k) {
    if (clips) scale_lanes(delta_after(k), shape_.size(k + 1), block.stride, factor);
    layer_gradient(block, k, out);
  }
}

}  // namespace pollen::lean
