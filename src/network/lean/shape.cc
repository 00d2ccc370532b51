#include "lean/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace pollen::lean {
namespace {

// The most numbers in θ; a larger specification must be a mistake.
constexpr std::int64_t kMost = std::int64_t{1} << 31;

bool fits(std::int64_t n) { return n >= 1 && n < kMost; }

void require(bool holds, const std::string& otherwise) {
  if (!holds) throw std::runtime_error(otherwise);
}

Activation activation_named(const std::string& name) {
  if (name == "relu") return Activation::relu;
  if (name == "tanh") return Activation::tanh;
  if (name == "swish") return Activation::swish;
  throw std::runtime_error(fmt::format("found the activation \"{}\", accepted: relu, tanh, swish", name));
}

void check(const NetworkSpec& s) {
  require(s.kind == "mlp" || s.kind == "lenet5",
          fmt::format("found the network \"{}\", accepted without libtorch: mlp, lenet5", s.kind));
  require(s.device == "cpu", fmt::format("found the device \"{}\", accepted without libtorch: cpu", s.device));
  const bool sizes = std::ranges::all_of(std::array{s.channels, s.height, s.width}, fits);
  require(sizes && fits(s.channels * s.height) && fits(s.channels * s.height * s.width),
          fmt::format("found rows of {} x {} x {} numbers, accepted: sizes of at least 1, and fewer than {} numbers",
                      s.channels, s.height, s.width, kMost));
  // Class indices are stored as floats, which are exact for whole numbers up to 2^24.
  require(s.classifies ? s.outputs >= 2 && s.outputs < (1 << 24) : s.outputs == 1,
          fmt::format("found {} outputs, accepted: {}", s.outputs,
                      s.classifies ? "2 to 16777215 classes" : "1 for a response"));
  require(s.classifies || (std::isfinite(s.noise_sd) && s.noise_sd > 0),
          fmt::format("found noise_sd {}, accepted: a number above 0", s.noise_sd));
  if (s.kind == "lenet5") {
    require(s.channels == 1 && s.height == 28 && s.width == 28,
            fmt::format("found lenet5 on rows of {} x {} x {} numbers, accepted: 1 x 28 x 28", s.channels, s.height,
                        s.width));
  } else {
    for (const std::int64_t units : s.hidden)
      require(fits(units), fmt::format("found a hidden layer of {} units, accepted: 1 to {}", units, kMost - 1));
  }
}

}  // namespace

Shape::Shape(const NetworkSpec& wanted) : spec(wanted), lenet(wanted.kind == "lenet5") {
  check(spec);
  if (lenet) {
    sizes = {kSecond.pooled_units(), 120, 84};
    add("conv1", {kFirst.out, kFirst.in, 5, 5});
    add("conv2", {kSecond.out, kSecond.in, 5, 5});
  } else {
    activation = activation_named(spec.activation);
    sizes = {spec.inputs()};
    sizes.insert(sizes.end(), spec.hidden.begin(), spec.hidden.end());
  }
  sizes.push_back(spec.outputs);
  for (Index k = 0; k < layers(); ++k) add(fmt::format("fc{}", k + 1), {size(k + 1), size(k)});
}

// Starting values are PyTorch's: uniform within 1/√(inputs of a unit), for weights and biases.
void Shape::add(const std::string& layer, std::vector<std::int64_t> shape) {
  NetworkTensor weight, bias;
  std::int64_t fan_in = 1;
  for (std::size_t i = 1; i < shape.size(); ++i) fan_in *= shape[i];
  require(fan_in < kMost / shape[0], fmt::format("{}: found {} inputs of {} units, accepted: fewer than {} weights",
                                                 layer, fan_in, shape[0], kMost));
  weight.name = layer + ".weight";
  weight.offset = tensors.empty() ? 0 : tensors.back().offset + tensors.back().size;
  weight.size = shape[0] * fan_in;
  bias.name = layer + ".bias";
  bias.offset = weight.offset + weight.size;
  bias.shape = {shape[0]};
  bias.size = shape[0];
  weight.spread = bias.spread = static_cast<float>(1.0 / std::sqrt(static_cast<double>(fan_in)));
  weight.shape = std::move(shape);
  tensors.push_back(std::move(weight));
  tensors.push_back(std::move(bias));
}

}  // namespace pollen::lean
