// Neural networks: what they compute, apart from who samples them. A network maps a row of numbers to outputs (logits of
// classes, or the mean of a real response) by float32 parameters θ, all tensors one after the other.
//
// Two kinds of implementation: the lean one of src/network (mlp, lenet5; CPU, part of every build), and the module over
// libtorch (src/torch), which is loaded when it is asked for. This header is all they share with the rest, and it is
// C++17, because libtorch's headers are no C++20 for clang. Immutable once made; const calls are thread-safe.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pollen {

struct NetworkSpec {
  std::string kind = "mlp";         // mlp | lenet5 | resnet20 | cnn5 | torchscript
  std::int64_t channels = 1;        // a row is an image, channel after channel, each row by row;
  std::int64_t height = 1;          // for an mlp it is channels · height · width numbers
  std::int64_t width = 1;
  std::int64_t outputs = 2;         // classes; 1 for a real response
  bool classifies = true;           // -log p is cross-entropy; else (y - f)²/(2 noise_sd²) + log noise_sd + ½ log 2π
  double noise_sd = 1;
  std::vector<std::int64_t> hidden; // mlp: units of the layers between
  std::string activation = "relu";  // mlp: relu | tanh | swish
  std::string norm = "frn";         // resnet20: frn (with swish) | group | batch (with relu)
  std::string file;                 // torchscript
  std::string device = "cpu";       // cpu | cuda
  bool tf32 = false;                // cuda: faster products of 10 bits
  std::int64_t inputs() const { return channels * height * width; }
};

// One tensor of θ. A start is drawn as center + uniform(-spread, spread).
struct NetworkTensor {
  std::string name;                 // "conv1.weight"
  std::vector<std::int64_t> shape;
  std::int64_t offset = 0, size = 0;
  float center = 0, spread = 0;
};

// Rows kept where the network computes.
class NetworkRows {
 public:
  virtual ~NetworkRows() = default;
  virtual std::int64_t rows() const = 0;
};

class Network {
 public:
  virtual ~Network() = default;
  virtual const NetworkSpec& spec() const = 0;
  virtual const std::vector<NetworkTensor>& tensors() const = 0;
  std::int64_t dimension() const { return tensors().empty() ? 0 : tensors().back().offset + tensors().back().size; }

  // Copies rows × inputs() numbers, and `rows` targets (class indices or responses; none where y is null).
  virtual std::unique_ptr<NetworkRows> hold(const float* x, const float* y, std::int64_t rows) const = 0;

  // Σ_j -log p(y_j | x_j, θ) over the `count` rows named by `rows` (null: the first `count`), and, where `out` is not null,
  // its gradient into out, overwriting. The sum does not depend on anything but these rows and θ.
  virtual double loss(const NetworkRows& held, const std::uint32_t* rows, std::int64_t count, const float* theta,
                      float* out) const = 0;
  // The same gradient with every row's own cut to the norm `clip`. The default takes one row at a time.
  virtual void clipped(const NetworkRows& held, const std::uint32_t* rows, std::int64_t count, const float* theta,
                       double clip, float* out) const {
    const std::size_t d = static_cast<std::size_t>(dimension());
    std::vector<double> sum(d, 0.0);
    std::vector<float> one(d);
    for (std::int64_t j = 0; j < count; ++j) {
      const std::uint32_t row = rows == nullptr ? static_cast<std::uint32_t>(j) : rows[j];
      loss(held, &row, 1, theta, one.data());
      double square = 0;
      for (const float g : one) square += static_cast<double>(g) * static_cast<double>(g);
      const double factor = square > clip * clip ? clip / std::sqrt(square) : 1.0;
      for (std::size_t i = 0; i < d; ++i) sum[i] += factor * static_cast<double>(one[i]);
    }
    for (std::size_t i = 0; i < d; ++i) out[i] = static_cast<float>(sum[i]);
  }
  // out = outputs of rows first .. first+count-1, count × outputs.
  virtual void outputs(const NetworkRows& held, std::int64_t first, std::int64_t count, const float* theta,
                       float* out) const = 0;
  // θ as it came with the network, from a file; empty where it came without.
  virtual std::vector<float> stored() const { return {}; }
};

// mlp and lenet5 on the CPU, without libtorch. std::runtime_error for other kinds and devices.
std::unique_ptr<Network> make_lean_network(const NetworkSpec& spec);
// Any kind over libtorch, whose module is loaded by the first call. std::runtime_error where it is not there or cannot do this.
std::unique_ptr<Network> make_torch_network(const NetworkSpec& spec);
// Where the module of this build is; empty where it was built without libtorch. Loads nothing.
std::string torch_module();

// What the module exports as "pollen_make_network".
using MakeNetwork = Network* (*)(const NetworkSpec& spec);

}  // namespace pollen
