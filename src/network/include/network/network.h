// Neural networks as functions: this header says what they compute, not who samples them. A network maps a row of
// numbers to outputs (logits of classes, or the mean of a real response). Its float32 parameters θ are all its tensors
// one after the other. Networks are immutable once made, and const calls are thread-safe.
//
// There are two implementations: the lean one of src/network (mlp and lenet5 on the CPU, part of every build), and the
// module over libtorch (src/torch), which is loaded on demand. This header is all that the module shares with the rest
// of pollen. It is C++17, because clang does not accept libtorch's headers as C++20.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pollen {

struct NetworkSpec {
  std::string kind = "mlp";   // mlp | lenet5 | resnet20 | cnn5 | torchscript
  std::int64_t channels = 1;  // a row is an image: channel after channel, each stored row by row;
  std::int64_t height = 1;    // an mlp takes the same channels · height · width numbers
  std::int64_t width = 1;
  std::int64_t outputs = 2;  // number of classes, or 1 for a real response
  bool classifies = true;  // true: -log p is cross-entropy; false: (y - f)²/(2 noise_sd²) + log noise_sd + ½ log 2π
  double noise_sd = 1;
  std::vector<std::int64_t> hidden;  // mlp: units per hidden layer
  std::string activation = "relu";   // mlp: relu | tanh | swish
  std::string norm = "frn";          // resnet20: frn (with swish) | group | batch (with relu)
  std::string file;                  // torchscript: the file to load
  std::string device = "cpu";        // cpu | cuda
  bool tf32 = false;                 // cuda: faster products with 10-bit mantissas
  std::int64_t inputs() const { return channels * height * width; }
};

// One tensor of θ. Its starting values are drawn as center + uniform(-spread, spread).
struct NetworkTensor {
  std::string name;  // for example "conv1.weight"
  std::vector<std::int64_t> shape;
  std::int64_t offset = 0, size = 0;
  float center = 0, spread = 0;
};

// Rows kept in the memory of the device that computes the network.
class NetworkRows {
 public:
  virtual ~NetworkRows() = default;
  virtual std::int64_t rows() const = 0;
};

// A fleet: clients of one network whose replies are computed together on the network's device. It computes every
// client's gradient in one pass, differences to an anchor, memories and quantised messages; only sums of messages come
// back.
struct NetworkFleetSpec {
  std::vector<const NetworkRows*> clients;  // rows held by this network; they must outlive the fleet
  std::vector<std::int64_t> batch;          // n_i: rows per client and round
  std::int64_t chains = 1;
  std::int64_t block = 32;  // clients per partial sum, in client order
  double scale = 1;         // factor on every -log p
  bool anchored = false;  // true: H_i = (N/n) Σ [∇U_ij(θ) - ∇U_ij(ζ)] + ∇U_i(ζ); false: (N/n) Σ ∇U_ij(θ)
  bool memory = false;    // true: messages carry H_i - h_i, and h_i moves by `rate` times the message
  double rate = 0;
  std::uint32_t levels = 0;  // levels of qsgd; 0 means that messages are not compressed
};

// One round of one chain.
struct NetworkFleetRound {
  std::int64_t chain = 0;
  const double* position = nullptr;
  const double* anchor = nullptr;         // null: the anchor of the chain's previous round
  bool at_anchor = false;                 // true: the position is the anchor
  const std::uint8_t* present = nullptr;  // one per client: 1 if it takes part
  const std::uint32_t* rows = nullptr;    // n_i rows of every client that takes part, one client after the other
  // Key of the random stream that rounds the messages; client i's words are at (round, i).
  std::uint32_t key[2] = {0, 0};
  std::uint64_t round = 0;
};

// The facts about one client's message from which its length follows.
struct NetworkMessage {
  float norm = 0;  // 0: only the norm is sent; not finite: the message cannot be sent
  std::uint64_t nonzeros = 0, dense_logs = 0, sparse_logs = 0, gap_bits = 0;
};

struct NetworkSums {
  const double* sums = nullptr;              // blocks × dimension
  const NetworkMessage* messages = nullptr;  // one per client
};

// Computes the rounds of a fleet. A fleet is not thread-safe, but different threads may finish different chains.
class NetworkFleet {
 public:
  virtual ~NetworkFleet() = default;
  virtual void begin(const NetworkFleetRound& round) = 0;  // starts a round; each chain may have one under way
  // Waits for the chain's round. The result is valid until the chain's next round begins.
  virtual NetworkSums finish(std::int64_t chain) = 0;
  // Saves or restores h_i and ∇U_i(ζ), with clients × dimension numbers each, where the fleet has them.
  virtual void save(std::int64_t chain, double* memory, double* anchored) const = 0;
  virtual void load(std::int64_t chain, const double* memory, const double* anchored, const double* anchor) = 0;
};

class Network {
 public:
  virtual ~Network() = default;
  virtual const NetworkSpec& spec() const = 0;
  virtual const std::vector<NetworkTensor>& tensors() const = 0;
  std::int64_t dimension() const { return tensors().empty() ? 0 : tensors().back().offset + tensors().back().size; }

  // Copies rows × inputs() numbers and `rows` targets (class indices or responses) to the device. There are no targets
  // if y is null.
  virtual std::unique_ptr<NetworkRows> hold(const float* x, const float* y, std::int64_t rows) const = 0;

  // Returns Σ_j -log p(y_j | x_j, θ) over the `count` rows listed in `rows` (null: the first `count`). If `out` is not
  // null, it is overwritten with the gradient. The sum depends only on these rows and θ.
  virtual double loss(const NetworkRows& held, const std::uint32_t* rows, std::int64_t count, const float* theta,
                      float* out) const = 0;
  // Computes the same gradient with each row's own gradient cut to the norm `clip`. The default implementation takes
  // one row at a time.
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
  // Writes the outputs of rows first .. first+count-1, count × outputs numbers, to out.
  virtual void outputs(const NetworkRows& held, std::int64_t first, std::int64_t count, const float* theta,
                       float* out) const = 0;
  // Returns the θ that came with the network from a file, or nothing if there was none.
  virtual std::vector<float> stored() const { return {}; }
  // Makes a fleet. Returns null if this network has none or would gain nothing by it.
  virtual std::unique_ptr<NetworkFleet> fleet(const NetworkFleetSpec&) const { return nullptr; }
};

// Makes an mlp or lenet5 on the CPU, without libtorch. Throws std::runtime_error for other kinds and devices.
std::unique_ptr<Network> make_lean_network(const NetworkSpec& spec);
// Makes any kind of network over libtorch. The first call loads the module. Throws std::runtime_error if the module is
// missing or cannot make this network.
std::unique_ptr<Network> make_torch_network(const NetworkSpec& spec);
// Returns the path of this build's libtorch module, or nothing if it was built without. Loads nothing.
std::string torch_module();

// The type of the function that the module exports as "pollen_make_network".
using MakeNetwork = Network* (*)(const NetworkSpec& spec);

}  // namespace pollen
