#include "fleet.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "fleet_pass.h"
#include "queue.h"
#include "settings.h"

namespace pollen::torch_room {
namespace {

// The memory of one chain on the device. Tensors named "host" are the buffers through which its numbers travel there
// and back.
struct Lane {
  std::unique_ptr<Queue> queue;
  at::Tensor up, up_host;             // θ, rows and participation, one after the other, so that a round needs one copy
  at::Tensor down, down_host;         // sums, and the facts about the messages
  std::unique_ptr<Pass> here, there;  // the passes at θ and at ζ, over the same rows
  at::Tensor anchor_host, anchored, memory, message, nonzero;
};

class TorchFleet : public NetworkFleet {
 public:
  TorchFleet(const NetworkSpec& network, const Architecture& architecture, const at::Device& device,
             NetworkFleetSpec spec)
      : network_(network), architecture_(architecture), device_(device), spec_(std::move(spec)) {
    const NetworkTensor& last = architecture.tensors().back();
    dimension_ = last.offset + last.size;
    clients_ = static_cast<std::int64_t>(spec_.clients.size());
    blocks_ = (clients_ + spec_.block - 1) / spec_.block;
    width_ = *std::max_element(spec_.batch.begin(), spec_.batch.end());
  }

  void begin(const NetworkFleetRound& round) override {
    plainly([&] {
      if (lanes_.empty()) prepare();
      const Lane& lane = lanes_.at(static_cast<std::size_t>(round.chain));
      lane.queue->within([&] { start(lane, round); });
    });
  }

  NetworkSums finish(std::int64_t chain) override {
    return plainly([&] {
      const Lane& lane = lanes_.at(static_cast<std::size_t>(chain));
      lane.queue->wait();
      const auto* bytes = lane.down_host.data_ptr<std::uint8_t>();
      return NetworkSums{reinterpret_cast<const double*>(bytes),
                         reinterpret_cast<const NetworkMessage*>(bytes + sums_bytes())};
    });
  }

  void save(std::int64_t chain, double* memory, double* anchored) const override {
    plainly([&] {
      if (lanes_.empty()) {  // no round has been computed yet
        if (spec_.memory) std::fill_n(memory, clients_ * dimension_, 0.0);
        if (spec_.anchored) std::fill_n(anchored, clients_ * dimension_, 0.0);
        return;
      }
      const Lane& lane = lanes_.at(static_cast<std::size_t>(chain));
      if (spec_.memory) outside(memory).copy_(lane.memory);
      if (spec_.anchored) outside(anchored).copy_(lane.anchored);
    });
  }

  void load(std::int64_t chain, const double* memory, const double* anchored, const double* anchor) override {
    plainly([&] {
      if (lanes_.empty()) prepare();
      const Lane& lane = lanes_.at(static_cast<std::size_t>(chain));
      lane.queue->within([&] {
        if (spec_.memory) lane.memory.copy_(outside(const_cast<double*>(memory)));
        if (spec_.anchored) lane.anchored.copy_(outside(const_cast<double*>(anchored)));
        if (spec_.anchored) send_anchor(lane, anchor);
        lane.queue->wait();
      });
    });
  }

 private:
  std::int64_t theta_bytes() const { return (4 * dimension_ + 7) / 8 * 8; }
  std::int64_t rows_bytes() const { return (4 * clients_ * width_ + 7) / 8 * 8; }
  std::int64_t up_bytes() const { return theta_bytes() + rows_bytes() + clients_; }
  std::int64_t sums_bytes() const { return 8 * blocks_ * dimension_; }
  std::int64_t down_bytes() const {
    return sums_bytes() + clients_ * static_cast<std::int64_t>(sizeof(NetworkMessage));
  }
  template <typename T>
  static T* at_byte(const at::Tensor& bytes, std::int64_t offset) {
    return reinterpret_cast<T*>(bytes.data_ptr<std::uint8_t>() + offset);
  }
  at::Tensor outside(double* numbers) const {
    return at::from_blob(numbers, {clients_, dimension_}, at::TensorOptions(at::kDouble));
  }
  at::Tensor on_device(at::IntArrayRef shape, at::ScalarType type) const {
    return at::zeros(shape, at::TensorOptions(type).device(device_));
  }
  // Allocates host memory that the device reads and writes directly.
  at::Tensor on_host(at::IntArrayRef shape, at::ScalarType type) const {
    return at::empty(shape, at::TensorOptions(type).pinned_memory(device_.is_cuda()));
  }

  void prepare() {
    pool_ = std::make_unique<Pool>(spec_.clients);
    std::vector<double> factors;
    for (std::size_t i = 0; i < spec_.batch.size(); ++i)
      factors.push_back(static_cast<double>(pool_->rows[i]) / static_cast<double>(spec_.batch[i]));
    factors_ =
        at::from_blob(factors.data(), {clients_}, at::TensorOptions(at::kDouble)).to(device_, at::kDouble, false, true);
    batch_weights_ = weights_of(0, spec_.batch);
    if (spec_.anchored) list_all_rows();
    (void)factors_.cpu();  // waits for the copy, because every lane has a queue of its own
    for (std::int64_t c = 0; c < spec_.chains; ++c) lanes_.push_back(make_lane());
  }

  // Lists all rows of all clients, `width` rows per client at a time.
  void list_all_rows() {
    const std::int64_t most = *std::max_element(pool_->rows.begin(), pool_->rows.end());
    for (std::int64_t start = 0; start < most; start += width_) {
      at::Tensor rows = at::empty({clients_ * width_}, at::TensorOptions(at::kInt));
      auto* to = rows.data_ptr<std::int32_t>();
      for (std::size_t i = 0; i < pool_->rows.size(); ++i)
        for (std::int64_t k = start; k < start + width_; ++k)
          *to++ = static_cast<std::int32_t>(pool_->first[i] + std::min(k, pool_->rows[i] - 1));
      all_rows_.push_back(rows.to(device_));
      all_weights_.push_back(weights_of(start, pool_->rows));
    }
  }

  // Returns weights that are 1 for the rows from `start` on that are below their client's count, and 0 otherwise.
  at::Tensor weights_of(std::int64_t start, const std::vector<std::int64_t>& counts) const {
    at::Tensor weights = at::zeros({clients_ * width_}, at::TensorOptions(at::kFloat));
    float* to = weights.data_ptr<float>();
    for (const std::int64_t count : counts) {
      std::fill_n(to, std::clamp<std::int64_t>(count - start, 0, width_), 1.0f);
      to += width_;
    }
    return weights.to(device_);
  }

  Lane make_lane() const {
    Lane lane;
    lane.queue = make_queue(device_);
    lane.queue->within([&] {
      lane.up = on_device({up_bytes()}, at::kByte);
      lane.down = on_device({down_bytes()}, at::kByte);
      lane.message = on_device({clients_, dimension_}, at::kDouble);
      lane.nonzero = on_device({clients_, (dimension_ + 31) / 32}, at::kInt);
      if (spec_.memory) lane.memory = on_device({clients_, dimension_}, at::kDouble);
      if (spec_.anchored) lane.anchored = on_device({clients_, dimension_}, at::kDouble);
    });
    lane.queue->within([&] {
      Pass::Inputs inputs{lane.up.narrow(0, 0, 4 * dimension_).view(at::kFloat),
                          lane.up.narrow(0, theta_bytes(), 4 * clients_ * width_).view(at::kInt),
                          batch_weights_.clone()};
      lane.here = std::make_unique<Pass>(network_, architecture_, *pool_, inputs, *lane.queue);
      inputs.theta = on_device({dimension_}, at::kFloat);
      if (spec_.anchored) lane.there = std::make_unique<Pass>(network_, architecture_, *pool_, inputs, *lane.queue);
    });
    lane.up_host = on_host({up_bytes()}, at::kByte);
    lane.down_host = on_host({down_bytes()}, at::kByte);
    if (spec_.anchored) lane.anchor_host = on_host({dimension_}, at::kFloat);
    lane.queue->wait();
    return lane;
  }

  void round_to(float* to, const double* from) const {
    for (std::int64_t j = 0; j < dimension_; ++j) to[j] = static_cast<float>(from[j]);
  }

  void send_anchor(const Lane& lane, const double* anchor) const {
    round_to(lane.anchor_host.data_ptr<float>(), anchor);
    lane.there->inputs.theta.copy_(lane.anchor_host, /*non_blocking=*/true);
  }

  void start(const Lane& lane, const NetworkFleetRound& round) const {
    if (round.anchor != nullptr) move_anchor(lane, round.anchor);
    std::copy_n(round.present, clients_, at_byte<std::uint8_t>(lane.up_host, theta_bytes() + rows_bytes()));
    if (!round.at_anchor) {
      round_to(at_byte<float>(lane.up_host, 0), round.position);
      write_rows(lane, round);
    }
    lane.up.copy_(lane.up_host, true);
    if (!round.at_anchor) {
      lane.here->run();
      if (spec_.anchored) lane.there->run();
    }
    lane.queue->messages(messages(lane, round));
    lane.down_host.copy_(lane.down, true);
  }

  void write_rows(const Lane& lane, const NetworkFleetRound& round) const {
    auto* rows = at_byte<std::int32_t>(lane.up_host, theta_bytes());
    const std::uint32_t* given = round.rows;
    for (std::int64_t i = 0; i < clients_; ++i) {
      const auto client = static_cast<std::size_t>(i);
      std::fill_n(rows + i * width_, width_, static_cast<std::int32_t>(pool_->first[client]));
      if (round.present[client] == 0) continue;
      for (std::int64_t k = 0; k < spec_.batch[client]; ++k)
        rows[i * width_ + k] = static_cast<std::int32_t>(pool_->first[client] + *given++);
    }
  }

  // Computes ∇U_i(ζ) of all clients at a new anchor.
  void move_anchor(const Lane& lane, const double* anchor) const {
    at::NoGradGuard none;
    send_anchor(lane, anchor);
    lane.anchored.zero_();
    for (std::size_t s = 0; s < all_rows_.size(); ++s) {
      lane.there->inputs.rows.copy_(all_rows_[s], true);
      lane.there->inputs.weights.copy_(all_weights_[s], true);
      lane.there->run();
      lane.anchored.add_(lane.there->gradient);
    }
    if (spec_.scale != 1) lane.anchored.mul_(spec_.scale);
    lane.there->inputs.weights.copy_(batch_weights_, true);
  }

  MessagePass messages(const Lane& lane, const NetworkFleetRound& round) const {
    MessagePass pass;
    pass.dimension = dimension_;
    pass.clients = clients_;
    pass.block = spec_.block;
    pass.here = lane.here->gradient.data_ptr<float>();
    if (spec_.anchored) pass.there = lane.there->gradient.data_ptr<float>();
    if (spec_.anchored) pass.anchored = lane.anchored.data_ptr<double>();
    if (spec_.memory) pass.memory = lane.memory.data_ptr<double>();
    pass.factor = factors_.data_ptr<double>();
    pass.present = at_byte<std::uint8_t>(lane.up, theta_bytes() + rows_bytes());
    pass.at_anchor = round.at_anchor;
    pass.scale = spec_.scale;
    pass.rate = spec_.rate;
    pass.levels = spec_.levels;
    std::copy_n(round.key, 2, pass.key);
    pass.round = round.round;
    pass.message = lane.message.data_ptr<double>();
    pass.nonzero = reinterpret_cast<std::uint32_t*>(lane.nonzero.data_ptr<std::int32_t>());
    pass.about = at_byte<NetworkMessage>(lane.down, sums_bytes());
    pass.sums = at_byte<double>(lane.down, 0);
    return pass;
  }

  const NetworkSpec& network_;
  const Architecture& architecture_;
  at::Device device_;
  NetworkFleetSpec spec_;
  std::int64_t dimension_ = 0, clients_ = 0, blocks_ = 0, width_ = 0;
  std::unique_ptr<Pool> pool_;
  at::Tensor factors_, batch_weights_;
  std::vector<at::Tensor> all_rows_, all_weights_;
  std::vector<Lane> lanes_;
};

}  // namespace

std::unique_ptr<NetworkFleet> make_fleet(const NetworkSpec& network, const Architecture& architecture,
                                         const at::Device& device, const NetworkFleetSpec& spec) {
  return std::make_unique<TorchFleet>(network, architecture, device, spec);
}

}  // namespace pollen::torch_room
