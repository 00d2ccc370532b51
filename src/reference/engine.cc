// Implements Engine around any kernel: counts iterations, adds up costs, checks that states are finite and saves the
// state.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernel.h"
#include "math/math.h"
#include "pollen/archive.h"
#include "pollen/errors.h"

namespace pollen::reference {

namespace {

// A chain whose coordinates exceed this bound is diverging.
constexpr double kExplosion = 1e10;

class ReferenceEngine final : public Engine {
 public:
  ReferenceEngine(std::unique_ptr<Chains> chains, KernelPointer kernel)
      : chains_(std::move(chains)), kernel_(std::move(kernel)) {
    // No compressor is used, so the bound does not exist.
    chains_->counters.uplink_bits_bound = std::numeric_limits<double>::quiet_NaN();
  }

  void start(ConstPanelView position) override {
    copy_into(position, chains_->position);
    double largest = 1;
    for (Index c = 0; c < position.columns; ++c) largest = std::max(largest, math::max_abs(position.column(c)));
    explosion_ = kExplosion * largest;
    kernel_->start(*chains_);
  }

  std::int64_t advance(std::int64_t) override {
    chains_->loads.open(chains_->clients());
    kernel_->iterate(*chains_);
    chains_->loads.close(false);
    ++chains_->iteration;
    check_finite();
    return 1;
  }

  bool emits() const override { return kernel_->emits(chains_->iteration); }
  ConstPanelView position() const override { return chains_->position; }
  std::int64_t iteration() const override { return chains_->iteration; }
  Counters& counters() override { return chains_->counters; }
  void listen(TrafficListener listener) override { chains_->loads.listen(std::move(listener)); }

  void archive(Archive& archive) override {
    archive.field(explosion_);
    chains_->archive(archive);
    kernel_->archive(archive);
    chains_->loads.archive(archive, chains_->clients());
  }

 private:
  void check_finite() const {
    for (Index c = 0; c < chains_->count(); ++c) {
      const double largest = math::max_abs(chains_->position.column(c));
      if (largest <= explosion_) continue;
      throw NumericError(fmt::format("chain {}: the state {}; try a smaller sampler.step", c + 1,
                                     std::isfinite(largest) ? "explodes" : "is not finite"),
                         chains_->iteration - 1, -1);
    }
  }

  std::unique_ptr<Chains> chains_;
  KernelPointer kernel_;
  double explosion_ = kExplosion;
};

}  // namespace

Chains::Chains(ReferenceProblem p) : problem(std::move(p)), position(problem.dimension, problem.chains) {}

Stream Chains::stream(Index chain, Purpose purpose, std::uint32_t step) const {
  Stream stream = make_stream(problem.seed, static_cast<std::uint32_t>(chain), purpose);
  stream.round = static_cast<std::uint64_t>(iteration);
  stream.step = step;
  return stream;
}

void Chains::count_exchange(Index vectors_up, Index vectors_down) {
  const std::int64_t bits = 64 * static_cast<std::int64_t>(problem.dimension) * count();
  ++counters.rounds;
  counters.messages += clients() * count();
  counters.uplink_bits += vectors_up * clients() * bits;
  counters.downlink_bits += vectors_down * clients() * bits;
  counters.broadcast_bits += vectors_down * bits;
  for (Index i = 0; i < clients(); ++i) add_bits(i, vectors_up * bits, vectors_down * bits);
  loads.close(true);
}

void Chains::add_gradients(Index whose, std::int64_t number) {
  loads.add({.client = static_cast<std::uint32_t>(whose), .gradients = number});
}

void Chains::add_bits(Index whose, std::int64_t up, std::int64_t down) {
  loads.add({.client = static_cast<std::uint32_t>(whose), .down_bits = down, .up_bits = up});
}

void Chains::archive(Archive& archive) {
  archive.array(position.flat());
  archive.field(iteration);
  if (iteration < 0) throw WireError(fmt::format("saved state: found iteration {}, accepted: 0 or more", iteration));
  counters.archive(archive);
}

std::unique_ptr<Engine> make_engine(std::unique_ptr<Chains> chains, KernelPointer kernel) {
  return std::make_unique<ReferenceEngine>(std::move(chains), std::move(kernel));
}

std::vector<std::uint32_t> everyone(Index n) {
  std::vector<std::uint32_t> all(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint32_t>(i);
  return all;
}

std::vector<double> size_weights(const ReferenceProblem& problem) {
  std::vector<double> weights;
  weights.reserve(problem.clients.size());
  double sum = 0;
  for (const Potential* client : problem.clients) sum += static_cast<double>(client->rows());
  for (const Potential* client : problem.clients) weights.push_back(static_cast<double>(client->rows()) / sum);
  return weights;
}

}  // namespace pollen::reference
