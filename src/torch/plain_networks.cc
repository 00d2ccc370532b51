// The multilayer perceptron and the two plain convolutional networks.
#include <ATen/ops/relu.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/tanh.h>
#include <fmt/format.h>

#include <stdexcept>

#include "lenet_convolutions.h"
#include "written.h"

namespace pollen::torch_room {
namespace {

using Activation = at::Tensor (*)(const at::Tensor&);

Activation activation_of(const std::string& name) {
  if (name == "relu") return at::relu;
  if (name == "tanh") return at::tanh;
  if (name == "swish") return at::silu;
  throw std::runtime_error(fmt::format("an mlp's activation: found \"{}\", accepted: relu, tanh, swish", name));
}

class Mlp : public Written {
 public:
  explicit Mlp(const NetworkSpec& spec)
      : Written({spec.inputs()}), activation_(activation_of(spec.activation)), layers_(spec.hidden.size() + 1) {
    std::int64_t from = spec.inputs();
    for (std::size_t i = 0; i < layers_; ++i) {
      const std::int64_t to = i < spec.hidden.size() ? spec.hidden[i] : spec.outputs;
      if (to < 1)
        throw std::runtime_error(fmt::format("an mlp's hidden layer: found {} units, accepted: 1 or more", to));
      layout_.add_map(fmt::format("fc{}", i + 1), {to, from});
      from = to;
    }
  }
  at::Tensor forward(Walk walk, at::Tensor x) const override {
    for (std::size_t i = 1; i < layers_; ++i) x = activation_(linear(walk, x));
    return linear(walk, x);
  }

 private:
  Activation activation_;
  std::size_t layers_;
};

// A network of conv, pool, conv, pool and three linear maps, with ReLU between them.
class TwoConvolutions : public Written {
 public:
  struct Sizes {
    // Padding of the first convolution, and the outputs of the four layers.
    std::int64_t padding, first, second, third, fourth;
  };
  TwoConvolutions(const NetworkSpec& spec, const Sizes& sizes)
      : Written({spec.channels, spec.height, spec.width}), padding_(sizes.padding) {
    const auto left = [&](std::int64_t n) { return ((n + 2 * sizes.padding - 4) / 2 - 4) / 2; };
    layout_.add_map("conv1", {sizes.first, spec.channels, 5, 5});
    layout_.add_map("conv2", {sizes.second, sizes.first, 5, 5});
    layout_.add_map("fc1", {sizes.third, sizes.second * left(spec.height) * left(spec.width)});
    layout_.add_map("fc2", {sizes.fourth, sizes.third});
    layout_.add_map("fc3", {spec.outputs, sizes.fourth});
  }
  at::Tensor forward(Walk walk, at::Tensor x) const override {
    x = convolutions(walk, x);
    x = at::relu(linear(walk, x));
    x = at::relu(linear(walk, x));
    return linear(walk, x);
  }

 private:
  at::Tensor convolutions(Walk& walk, const at::Tensor& x) const {
#ifdef POLLEN_TORCH_CUDA
    if (walk.grouped() && x.is_cuda() && padding_ == 2) {  // this is lenet5
      const at::Tensor &weight1 = walk.next(), &bias1 = walk.next(), &weight2 = walk.next();
      return lenet_convolutions(x, {weight1, bias1, weight2, walk.next()});
    }
#endif
    // Pooling before the ReLU gives the same numbers with a quarter of the work.
    const at::Tensor first = at::relu(halve(conv(walk, x, padding_)));
    return at::relu(halve(conv(walk, first, 0))).flatten(1);
  }

  std::int64_t padding_;
};

}  // namespace

std::unique_ptr<Architecture> make_mlp(const NetworkSpec& spec) { return std::make_unique<Mlp>(spec); }

std::unique_ptr<Architecture> make_lenet5(const NetworkSpec& spec) {
  if (spec.channels != 1 || spec.height != 28 || spec.width != 28)
    throw std::runtime_error(
        fmt::format("lenet5 takes images of 1 x 28 x 28, not {} x {} x {}", spec.channels, spec.height, spec.width));
  return std::make_unique<TwoConvolutions>(spec, TwoConvolutions::Sizes{2, 6, 16, 120, 84});
}

// FedPop (Kotelevskii et al. 2022, section 5) says "5-layer convolutional neural networks" and gives no sizes. These
// sizes are pollen's choice: the two 5 × 5 convolutions of 64 channels and the 120 and 64 units that are usual among
// its baselines on CIFAR.
std::unique_ptr<Architecture> make_cnn5(const NetworkSpec& spec) {
  if (spec.height < 16 || spec.width < 16)
    throw std::runtime_error(
        fmt::format("cnn5 takes images of at least 16 x 16 pixels, not {} x {}", spec.height, spec.width));
  return std::make_unique<TwoConvolutions>(spec, TwoConvolutions::Sizes{0, 64, 64, 120, 64});
}

}  // namespace pollen::torch_room
