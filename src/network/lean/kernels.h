// The vector kernels of the lean networks. A block of at most 64 rows goes through the network at once, as matrices
// unit × lane: the numbers of one unit for all rows lie side by side, and consecutive units are `stride` floats apart
// (a multiple of 16). Lanes past the last row repeat the first row and get no gradient. Pointers to such matrices are
// 64-byte aligned. An image of LeNet-5 is [channel][row][column][16 lanes], one group of sixteen rows after the other.
// The kernels are pure functions of their arguments.
#pragma once

#include <cstdint>

#include "pollen/types.h"

namespace pollen::lean {

inline constexpr Index kGroup = 16;
inline constexpr Index kBlock = 64;

constexpr Index whole_groups(Index n) { return (n + kGroup - 1) / kGroup * kGroup; }

enum class Activation { relu, tanh, swish };

// Products.
// ------------------------------------------------------------------------------------------------------------

// z(o, l) += Σ_i w[o · w_out + i · w_in] a(i, l), for o < out and i < in, summed in the order of i.
struct Product {
  const float* w;
  Index w_out, w_in;
  Index out, in;
};
void multiply_add(const Product& product, const float* a, float* z, Index stride);

// g(o, i) += Σ_{l < rows} delta(o, l) x[l][i], for o < out and i < in, summed in the order of l. g is dense. x[l] must
// be readable up to whole_groups(in).
struct Outer {
  const float* delta;
  Index stride;
  const float* const* x;
  Index rows, out, in;
};
void outer_add(const Outer& product, float* g);

// Changes of layout, and sums over lanes.
// --------------------------------------------------------------------------------

// to[j · to_stride + r] = rows[r][j], for sixteen rows and j < columns rounded up to 4.
void transpose_group(const float* const* rows, Index columns, float* to, Index to_stride);
// v(u, l) = value[u].
void fill_units(const float* value, Index units, Index stride, float* v);
// sum[u] += Σ_l v(u, l) factor[l]; reads as many units as `units` rounded up to 4.
void sum_lanes(const float* v, Index units, Index stride, const float* factor, float* sum);
// square[l] = Σ_u v(u, l)².
void square_units(const float* v, Index units, Index stride, float* square);
// v(u, l) *= factor[l].
void scale_lanes(float* v, Index units, Index stride, const float* factor);
// total[i] += part[i]; part is zero afterwards.
void flush(float* part, Index count, double* total);

// Activations and the loss.
// -------------------------------------------------------------------------------------------

// Replaces z by the activation, and slope by its derivative; only swish uses slope.
void activate(Activation kind, float* z, float* slope, Index count);
// Multiplies delta by the derivative at the point where the activation is a.
void chain(Activation kind, const float* a, const float* slope, float* delta, Index count);
// loss[l] = -log softmax(z(·, l))[y[l]]. z becomes the gradient of the loss in z, with 0 for lanes from `rows` on.
void cross_entropy(float* z, Index classes, Index stride, const float* y, Index rows, float* loss);

// LeNet-5, one group at a time.
// ----------------------------------------------------------------------------------------

// A 5 × 5 convolution of `in` channels of size × size (padding included), with ReLU and a maximum over 2 × 2.
struct Convolution {
  Index in, size, out;
  constexpr Index across() const { return size - 4; }
  constexpr Index pooled() const { return across() / 2; }
  constexpr Index pooled_units() const { return out * pooled() * pooled(); }
  constexpr Index weights() const { return out * in * 25; }
};
inline constexpr Convolution kFirst{1, 32, 6}, kSecond{6, 14, 16};
inline constexpr Index kConvolved = kFirst.weights() + kFirst.out + kSecond.weights() + kSecond.out;

// Writes pooled(u, ·), with `stride` floats from unit to unit, and which of the four positions was the largest (0 .. 3
// per lane, kGroup per unit). `shape` is kFirst or kSecond, and the biases follow the weights w.
void convolve(const Convolution& shape, const float* x, const float* w, float* pooled, Index stride,
              std::uint8_t* which);

// Sets the pooled units' delta to 0 where ReLU cut, and bias[o] (16 lanes each) to its sums by channel.
void rectify(const Convolution& shape, const float* pooled, Index pooled_stride, const float* delta, Index delta_stride,
             float* out, float* bias);
// Compute the weights' gradient of each image, 16 lanes per weight, from delta as rectify() left it. `spread` is
// scratch for delta before pooling: weights_second leaves all of it there for the gradient of its input, and
// weights_first makes two rows at a time.
void weights_first(const float* x, const float* delta, const std::uint8_t* which, float* spread, float* gradient);
void weights_second(const float* x, const float* delta, const std::uint8_t* which, float* spread, float* gradient);
// Computes the gradient in the input of the second convolution.
void inputs_second(const float* spread, const float* w, float* delta);

}  // namespace pollen::lean
