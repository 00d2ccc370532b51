// ResNet-20: a 3 × 3 convolution to 16 channels, three stages of three basic blocks with 16, 32 and 64 channels (the
// first block of the second and third stage halves the image), a global average and a linear map. Where a block changes
// the shape, its shortcut is a 1 × 1 convolution with a norm of its own. Convolutions have no bias.
//
// The norms are batch (statistics of the rows at hand, so a row's output depends on the other rows of its block), group
// (8 groups) and frn (filter response normalisation, Singh & Krishnan 2020, where the threshold τ and |eps| are
// learned; 274,042 parameters on CIFAR-10, as in Izmailov et al. 2021). The activation is ReLU, and swish with frn.
#include <ATen/TensorOperators.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/group_norm.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/silu.h>
#include <fmt/format.h>

#include <stdexcept>

#include "filter_response.h"
#include "grouped.h"
#include "written.h"

namespace pollen::torch_room {
namespace {

enum class Norm { batch, group, frn };

Norm norm_of(const std::string& name) {
  if (name == "batch") return Norm::batch;
  if (name == "group") return Norm::group;
  if (name == "frn") return Norm::frn;
  throw std::runtime_error(fmt::format("resnet20's norm is frn, group or batch, not \"{}\"", name));
}

class Resnet20 : public Written {
 public:
  explicit Resnet20(const NetworkSpec& spec)
      : Written({spec.channels, spec.height, spec.width}), norm_(norm_of(spec.norm)) {
    add_conv("conv1", "norm1", spec.channels, 16, 3);
    std::int64_t from = 16;
    for (int stage = 1; stage <= 3; ++stage) {
      const std::int64_t to = 8 << stage;
      for (int block = 0; block < 3; ++block) {
        const std::string name = fmt::format("layer{}.{}", stage, block);
        add_conv(name + ".conv1", name + ".norm1", from, to, 3);
        add_conv(name + ".conv2", name + ".norm2", to, to, 3);
        if (from != to) add_conv(name + ".shortcut.conv", name + ".shortcut.norm", from, to, 1);
        from = to;
      }
    }
    layout_.add_map("fc", {spec.outputs, from});
  }

  // Batch statistics would mix the rows of different groups.
  bool can_group() const override { return norm_ != Norm::batch; }

  at::Tensor forward(Walk walk, at::Tensor x) const override {
    x = activate(conv_norm(walk, x, 1));
    for (int stage = 1; stage <= 3; ++stage)
      for (int block = 0; block < 3; ++block) x = residual(walk, x, stage > 1 && block == 0);
    return linear(walk, x.mean({2, 3}));
  }

 private:
  void add_conv(const std::string& conv, const std::string& norm, std::int64_t from, std::int64_t to,
                std::int64_t side) {
    layout_.add(conv + ".weight", {to, from, side, side});
    layout_.add(norm + ".weight", {to});
    layout_.add(norm + ".bias", {to});
    if (norm_ != Norm::frn) return;
    layout_.add(norm + ".tau", {to});
    layout_.add(norm + ".eps", {to});
  }

  at::Tensor residual(Walk& walk, const at::Tensor& x, bool smaller) const {
    const std::int64_t stride = smaller ? 2 : 1;
    const at::Tensor inside = activate(conv_norm(walk, x, stride));
    const at::Tensor y = conv_norm(walk, inside, 1);
    return activate(y + (smaller ? conv_norm(walk, x, stride) : x));
  }

  at::Tensor conv_norm(Walk& walk, const at::Tensor& x, std::int64_t stride) const {
    const at::Tensor& kernel = walk.next();
    const std::int64_t padding = (kernel.size(-1) - 1) / 2;
    const bool grouped = kernel.dim() == 5;
    const at::Tensor y = grouped ? grouped_conv(x, kernel, /*bias=*/{}, {stride, padding})
                                 : at::conv2d(x, kernel, /*bias=*/{}, stride, padding);
    const at::Tensor& weight = walk.next();
    const at::Tensor& bias = walk.next();
    if (norm_ == Norm::frn) {
      const at::Tensor& tau = walk.next();
      return filter_response(y, {weight, bias, tau, walk.next()});
    }
    if (norm_ == Norm::group && grouped)
      return at::group_norm(y, 8) * by_row(weight, y.size(0)) + by_row(bias, y.size(0));
    if (norm_ == Norm::group) return at::group_norm(y, 8, weight, bias);
    return at::batch_norm(y, weight, bias, /*running_mean=*/{}, /*running_var=*/{}, /*training=*/true,
                          /*momentum=*/0, /*eps=*/1e-5, /*cudnn_enabled=*/true);
  }

  at::Tensor activate(const at::Tensor& x) const { return norm_ == Norm::frn ? at::silu(x) : at::relu(x); }

  Norm norm_;
};

}  // namespace

std::unique_ptr<Architecture> make_resnet20(const NetworkSpec& spec) { return std::make_unique<Resnet20>(spec); }

}  // namespace pollen::torch_room
