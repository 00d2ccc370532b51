// A block of at most 64 rows on its way through a lean network and back. The memory is the thread's, kept for the next
// block whatever its network: only sizes that a thread has not met before allocate.
#pragma once

#include <vector>

#include "lean/shape.h"

namespace pollen::lean {

struct Block {
  Index rows = 0, stride = 0;   // stride: rows rounded up to whole groups
  const float* x[kBlock] = {};  // lanes past the last row repeat the first
  float y[kBlock] = {};
};

struct Memory {
  using Floats = AlignedVector<float>;
  std::vector<Floats> a, slope, delta;  // unit × lane, for every layer; a[0] is what enters the first
  Floats across;                        // lane × unit, of one layer
  Floats images, pooled;                // LeNet-5: by group; the borders of images are zero and stay so
  std::vector<std::uint8_t> which_first, which_second;
  Floats delta_first, delta_second, spread, convolved;  // one group's
  AlignedVector<double> total;

  static Memory& of_thread(const Shape& shape);

 private:
  void fit(const Shape& shape);
};

class Pass {
 public:
  Pass(const Shape& shape, const float* theta) : shape_(shape), theta_(theta), m_(Memory::of_thread(shape)) {}

  // The block's outputs, unit × lane.
  const float* forward(const Block& block);
  // Σ -log p after forward; the outputs become its gradient in them.
  double loss(const Block& block);
  // Adds the gradient, every row's own cut to the norm `clip`, to out; after loss.
  void backward(const Block& block, double clip, float* out);

 private:
  void convolve(const Block& block);
  void convolve_back(Index group, Index stride);
  void deltas(const Block& block);
  void squares(const Block& block, double* square);
  void layer_gradient(const Block& block, Index k, float* out);
  double response_loss(const Block& block);
  float* delta_after(Index k);  // of layer k's outputs

  const Shape& shape_;
  const float* theta_;
  Memory& m_;
};

}  // namespace pollen::lean
