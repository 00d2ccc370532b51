#include "written.h"

#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/max_pool2d.h>

#include "grouped.h"

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

// Computes a convolution as one matrix product, for the first layer. cuDNN's gradient of a 5 × 5 kernel over one or
// three channels goes through a Winograd transform and has a relative error of 1e-3 in float32 (PyTorch 2.11, H200);
// that of a product is 4e-7. Later layers are not affected, and there the gradient of the images would cost more.
at::Tensor conv_as_product(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                           std::int64_t padding) {
  const std::int64_t side = weight.size(2);
  const at::Tensor padded = at::constant_pad_nd(x, {padding, padding, padding, padding});
  const at::Tensor patches = padded.unfold(2, side, 1).unfold(3, side, 1);  // rows, channels, height, width, side, side
  const std::int64_t rows = x.size(0), height = patches.size(2), width = patches.size(3);
  const at::Tensor columns = patches.permute({0, 2, 3, 1, 4, 5}).reshape({rows * height * width, -1});
  return at::linear(columns, weight.flatten(1), bias)
      .view({rows, height, width, -1})
      .permute({0, 3, 1, 2})
      .contiguous();
}

}  // namespace

// Makes one leaf per tensor instead of one flat leaf: the gradient of a slice of a flat leaf is as long as θ, and there
// would be one of those per tensor.
std::unique_ptr<Function> Written::at(const at::Tensor& theta, bool with_gradient, std::int64_t groups) const {
  std::vector<at::Tensor> leaves;
  leaves.reserve(tensors().size());
  for (const NetworkTensor& t : tensors()) {
    leaves.push_back(theta.narrow(0, t.offset, t.size).view(t.shape).detach());
    if (groups > 0) {
      std::vector<std::int64_t> shape = t.shape;
      shape.insert(shape.begin(), groups);
      leaves.back() = leaves.back().unsqueeze(0).expand(shape);
    }
    if (with_gradient) leaves.back().set_requires_grad(true);
  }
  return std::make_unique<AtTheta>(*this, std::move(leaves));
}

at::Tensor linear(Walk& walk, const at::Tensor& x) {
  const at::Tensor& weight = walk.next();
  const at::Tensor& bias = walk.next();
  return weight.dim() == 3 ? grouped_linear(x, weight, bias) : at::linear(x, weight, bias);
}

at::Tensor conv(Walk& walk, const at::Tensor& x, std::int64_t padding) {
  const at::Tensor& weight = walk.next();
  const at::Tensor& bias = walk.next();
  if (weight.dim() == 5) return grouped_conv(x, weight, bias, {1, padding});
  if (x.is_cuda() && !x.requires_grad()) return conv_as_product(x, weight, bias, padding);
  return at::conv2d(x, weight, bias, /*stride=*/1, padding);
}

at::Tensor halve(const at::Tensor& x) { return at::max_pool2d(x, 2); }

}  // namespace pollen::torch_room
