// Consensus Monte Carlo (Scott et al. 2016). Client i samples exp(-(U_i + U_0/b)/T), and the server combines the draws
// as θ = (Σ W_i)⁻¹ Σ W_i x_i, where W_i is the inverse of the client's covariance. This is exact if the parts are
// Gaussian. The clients' kernels adapt in the first half of the warm-up and their covariances are taken over the second
// half; the weights are sent once and then fixed. Each draw takes one vector from every client.
#include <algorithm>

#include "local_posteriors.h"
#include "pollen/archive.h"

namespace pollen::reference {

namespace {

class Consensus final : public Kernel {
 public:
  Consensus(const Chains& chains, const ReferenceSettings& settings)
      : warm_up_(settings.warm_up),
        parts_(chains, settings,
               {1 / static_cast<double>(chains.clients()), chains.problem.temperature, settings.warm_up / 2}),
        weights_(chains.problem.clients.size(), Symmetric(chains.problem.dimension, settings.diagonal)),
        covariance_(weights_.front()),
        sum_(static_cast<std::size_t>(chains.problem.dimension)) {}

  void start(Chains& chains) override { parts_.start(chains); }

  void iterate(Chains& chains) override {
    parts_.iterate(chains);
    if (chains.iteration >= warm_up_ / 2 && chains.iteration < warm_up_) parts_.collect();
    if (chains.iteration + 1 == warm_up_) set_weights(chains);
    if (chains.iteration < warm_up_) return;  // The server has received nothing yet, so the chains stay at their start.
    for (Index c = 0; c < chains.count(); ++c) combine(chains, c);
    chains.count_exchange(1, 0);
  }

  bool emits(std::int64_t iteration) const override { return iteration > warm_up_; }

  void archive(Archive& archive) override {
    parts_.archive(archive);
    for (Symmetric& weight : weights_) weight.archive(archive);
    covariance_.archive(archive);
  }

 private:
  void set_weights(Chains& chains) {
    Symmetric total(chains.problem.dimension, covariance_.diagonal());
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      weights_[i] = parts_.precision(static_cast<Index>(i));
      total.add(weights_[i]);
    }
    covariance_ = *total.inverse();  // It exists: the total is a sum of positive definite matrices.
    chains.counters.uplink_bits += 64 * covariance_.words() * chains.clients();
    for (Index i = 0; i < chains.clients(); ++i) chains.add_bits(i, 64 * covariance_.words(), 0);
  }

  void combine(Chains& chains, Index chain) {
    std::ranges::fill(sum_, 0.0);
    for (std::size_t i = 0; i < weights_.size(); ++i)
      weights_[i].multiply_add(parts_.position(static_cast<Index>(i)).column(chain), 1.0, sum_);
    const auto theta = chains.position.column(chain);
    std::ranges::fill(theta, 0.0);
    covariance_.multiply_add(sum_, 1.0, theta);
  }

  std::int64_t warm_up_;
  LocalPosteriors parts_;
  std::vector<Symmetric> weights_;  // W_i
  Symmetric covariance_;            // (Σ W_i)⁻¹
  std::vector<double> sum_;
};

}  // namespace

KernelPointer make_consensus(const Chains& chains, const ReferenceSettings& settings) {
  return std::make_unique<Consensus>(chains, settings);
}

}  // namespace pollen::reference
