#include "written.h"

#include <ATen/ops/conv2d.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/max_pool2d.h>

namespace pollen::torch_room {
namespace {

class AtTheta : public Function {
 public:
  AtTheta(const Written& written, std::vector<at::Tensor> leaves) : written_(written), leaves_(std::move(leaves)) {}
  const std::vector<at::Tensor>& leaves() const override { return leaves_; }
  at::Tensor outputs(const at::Tensor& x) override { return written_.forward(Walk(leaves_), x); }

 private:
  const Written& written_;
  std::vector<at::Tensor> leaves_;
};

}  // namespace

// A leaf for each tensor rather than one flat leaf: the gradient of a slice of a flat one is as long as θ, and there
// would be one of those for every tensor.
std::unique_ptr<Function> Written::at(const at::Tensor& theta, bool with_gradient) const {
  std::vector<at::Tensor> leaves;
  leaves.reserve(tensors().size());
  for (const NetworkTensor& t : tensors()) {
    leaves.push_back(theta.narrow(0, t.offset, t.size).view(t.shape).detach());
    if (with_gradient) leaves.back().set_requires_grad(true);
  }
  return std::make_unique<AtTheta>(*this, std::move(leaves));
}

at::Tensor linear(Walk& walk, const at::Tensor& x) {
  const at::Tensor& weight = walk.next();
  return at::linear(x, weight, walk.next());
}

at::Tensor conv(Walk& walk, const at::Tensor& x, std::int64_t padding) {
  const at::Tensor& weight = walk.next();
  return at::conv2d(x, weight, walk.next(), /*stride=*/1, padding);
}

at::Tensor halve(const at::Tensor& x) { return at::max_pool2d(x, 2); }

}  // namespace pollen::torch_room
