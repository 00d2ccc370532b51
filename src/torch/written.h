// Architectures written as expressions in views of θ. Each of them overrides forward() alone.
#pragma once

#include <utility>

#include "architecture.h"
#include "layout.h"

namespace pollen::torch_room {

// Hands out the tensors of θ in order, so that a forward pass reads like the list of its layers.
class Walk {
 public:
  explicit Walk(const std::vector<at::Tensor>& leaves) : leaves_(leaves) {}
  const at::Tensor& next() { return leaves_.at(next_++); }
  bool grouped() const { return leaves_.back().dim() == 2; }  // tests the last layer's bias

 private:
  const std::vector<at::Tensor>& leaves_;
  std::size_t next_ = 0;
};

class Written : public Architecture {
 public:
  const std::vector<NetworkTensor>& tensors() const override { return layout_.tensors(); }
  std::unique_ptr<Function> at(const at::Tensor& theta, bool with_gradient, std::int64_t groups) const override;
  bool can_group() const override { return true; }
  std::vector<std::int64_t> row_shape() const override { return shape_; }
  virtual at::Tensor forward(Walk walk, at::Tensor x) const = 0;

 protected:
  explicit Written(std::vector<std::int64_t> row_shape) : shape_(std::move(row_shape)) {}
  Layout layout_;

 private:
  std::vector<std::int64_t> shape_;
};

// Layers that take their tensors from the walk.
at::Tensor linear(Walk& walk, const at::Tensor& x);
at::Tensor conv(Walk& walk, const at::Tensor& x, std::int64_t padding);  // stride 1, with bias
at::Tensor halve(const at::Tensor& x);                                   // max pool, 2 × 2

}  // namespace pollen::torch_room
