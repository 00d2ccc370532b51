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

// Clients of one network whose answers are computed together, where the network computes: every client's gradient in one
// pass, differences to an anchor, memories and quantised messages. Only sums of messages come back.
struct NetworkFleetSpec {
  std::vector<const NetworkRows*> clients;  // held by this network; they outlive the fleet
  std::vector<std::int64_t> batch;          // n_i: rows a round
  std::int64_t chains = 1;
  std::int64_t block = 32;                  // clients a sum, in order
  double scale = 1;                         // of every -log p
  bool anchored = false;                    // H_i = (N/n) Σ [∇U_ij(θ) - ∇U_ij(ζ)] + ∇U_i(ζ), else (N/n) Σ ∇U_ij(θ)
  bool memory = false;                      // messages are of H_i - h_i, and h_i moves by `rate` times the message
  double rate = 0;
  std::uint32_t levels = 0;                 // qsgd's; 0: messages are whole
};

// One round of one chain.
struct NetworkFleetRound {
  std::int64_t chain = 0;
  const double* position = nullptr;
  const double* anchor = nullptr;           // null: as in the chain's last round
  bool at_anchor = false;                   // the position is the anchor
  const std::uint8_t* present = nullptr;    // one a client: takes part
  const std::uint32_t* rows = nullptr;      // n_i rows of every client that takes part, one after the other
  std::uint32_t key[2] = {0, 0};            // of the stream that rounds client i's message: its words are at (round, i)
  std::uint64_t round = 0;
};

// Of one client: what a message's length follows from.
struct NetworkMessage {
  float norm = 0;                           // 0: nothing but the norm is sent; not finite: it cannot be sent
  std::uint64_t nonzeros = 0, dense_logs = 0, sparse_logs = 0, gap_bits = 0;
};

struct NetworkSums {
  const double* sums = nullptr;              // blocks × dimension
  const NetworkMessage* messages = nullptr;  // one a client
};

// Not thread-safe, but chains may be finished on different threads.
class NetworkFleet {
 public:
  virtual ~NetworkFleet() = default;
  virtual void begin(const NetworkFleetRound& round) = 0;  // one a chain may be under way
  // Waits for it. What is returned stands until the chain's next round.
  virtual NetworkSums finish(std::int64_t chain) = 0;
  // h_i and ∇U_i(ζ), clients × dimension numbers each, where there are any.
  virtual void save(std::int64_t chain, double* memory, double* anchored) const = 0;
  virtual void load(std::int64_t chain, const double* memory, const double* anchored, const double* anchor) = 0;
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
  // Null where nothing is gained by it or this network has none.
  virtual std::unique_ptr<NetworkFleet> fleet(const NetworkFleetSpec&) const { return nullptr; }
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
