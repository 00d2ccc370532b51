// Takes a block of at most 64 rows forward through a lean network and backward again. The working memory belongs to the
// thread and is kept for the next block, whatever its network, so a thread allocates only for sizes that it has not met
// before. A pass belongs to one thread.
#pragma once

#include <vector>

#include "lean/shape.h"

namespace pollen::lean {

struct Block {
  Index rows = 0, stride = 0;   // stride: rows rounded up to whole groups of 16
  const float* x[kBlock] = {};  // lanes past the last row repeat the first row
  float y[kBlock] = {};
};

struct Memory {
  using Floats = AlignedVector<float>;
  std::vector<Floats> a, slope, delta;  // unit × lane, per layer; a[0] is the input of the first layer
  Floats across;                        // lane × unit, for one layer
  Floats images, pooled;                // LeNet-5, by group; the borders of images stay zero
  std::vector<std::uint8_t> which_first, which_second;
  Floats delta_first, delta_second, spread, convolved;  // for one group
  AlignedVector<double> total;

  static Memory& of_thread(const Shape& shape);

 private:
  void fit(const Shape& shape);
};

class Pass {
 public:
  Pass(const Shape& shape, const float* theta) : shape_(shape), theta_(theta), m_(Memory::of_thread(shape)) {}

  // Computes the block's outputs, unit × lane.
  const float* forward(const Block& block);
  // Returns Σ -log p and replaces the outputs by its gradient in them. Call it after forward().
  double loss(const Block& block);
  // Adds the gradient to out, with each row's own gradient cut to the norm `clip`. Call it after loss().
  void backward(const Block& block, double clip, float* out);

 private:
  void convolve(const Block& block);
  void convolve_back(Index group, Index stride);
  void deltas(const Block& block);
  void squares(const Block& block, double* square);
  void layer_gradient(const Block& block, Index k, float* out);
  double response_loss(const Block& block);
  float* delta_after(Index k);  // the gradient in the outputs of layer k

  const Shape& shape_;
  const float* theta_;
  Memory& m_;
};

}  // namespace pollen::lean
