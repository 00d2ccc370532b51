// FSGLD (El Mekkaoui et al. 2021). A chain visits one client at a time, client s with probability f_s = N_s/N, for K
// Langevin steps. Gaussian surrogates q_s ∝ exp(-Q_s) of the clients' likelihoods correct the drift:
//   g = ∇U_0(θ) + (1/f_s)(N_s/n) Σ_{j∈S} ∇U_sj(θ) + [Σ_r ∇Q_r(θ) - (1/f_s) ∇Q_s(θ)]
// Its mean over s is ∇U(θ) for any Q_s. The surrogates are fitted in the first half of the warm-up (surrogates.h).
// Without a warm-up Q_s = 0, which is the distributed SGLD of Ahn et al. (2014). States are emitted at the end of a
// visit, because only then does the server see the chain.
#include <fmt/format.h>

#include <cmath>

#include "client_gradients.h"
#include "math/math.h"
#include "pollen/archive.h"
#include "samplers.h"
#include "surrogates.h"

namespace pollen::reference {

namespace {

class Fsgld final : public Kernel {
 public:
  Fsgld(const Chains& chains, const ReferenceSettings& settings)
      : step_(*settings.step),
        local_steps_(settings.local_steps),
        warm_up_(settings.warm_up),
        fitting_(settings.warm_up / 2),
        frequency_(size_weights(chains.problem)),
        fit_(settings.surrogate == "swag" ? make_swag_fit(chains, settings)
                                          : make_fit_of_draws(chains, settings, settings.warm_up / 4)),
        fitted_(fitting_ == 0),
        gradients_(chains, settings.batch, std::vector<double>(frequency_.size(), 0.0)),
        visited_(static_cast<std::size_t>(chains.count()), 0),
        gradient_(chains.problem.dimension, 1),
        noise_(gradient_) {}

  void start(Chains& chains) override {
    if (!fitted_) fit_->start(chains);
  }

  void iterate(Chains& chains) override {
    if (!fitted_) return fit(chains);
    const bool arrives = steps_done(chains.iteration) % local_steps_ == 0;
    const bool leaves = steps_done(chains.iteration + 1) % local_steps_ == 0;
    const std::int64_t bits = 64 * static_cast<std::int64_t>(chains.problem.dimension) * chains.count();
    if (arrives) {
      choose_clients(chains);
      chains.counters.downlink_bits += bits;
      chains.counters.broadcast_bits += bits;
      for (const std::uint32_t client : visited_) chains.add_bits(client, 0, bits / chains.count());
    }
    for (Index c = 0; c < chains.count(); ++c) step_chain(chains, c);
    if (!leaves) return;
    ++chains.counters.rounds;
    chains.counters.messages += chains.count();
    chains.counters.uplink_bits += bits;
    for (const std::uint32_t client : visited_) chains.add_bits(client, bits / chains.count(), 0);
    chains.loads.close(true);
  }

  bool emits(std::int64_t iteration) const override {
    return iteration > warm_up_ && steps_done(iteration) % local_steps_ == 0;
  }

  void archive(Archive& archive) override {
    archive.flag(fitted_);
    if (!fitted_) {
      fit_->archive(archive);
    } else if (fitting_ > 0) {
      if (archive.reading()) surrogates_.assign(static_cast<std::size_t>(fit_->sets()), fit_->empty());
      for (Surrogates& set : surrogates_) set.archive(archive);
    }
    archive.array(std::span(visited_));
    for (const std::uint32_t s : visited_)
      if (s >= frequency_.size())
        throw WireError(
            fmt::format("saved state: found a chain at client {}, accepted: 0 to {}", s, frequency_.size() - 1));
  }

 private:
  std::int64_t steps_done(std::int64_t iteration) const { return iteration - fitting_; }

  void fit(Chains& chains) {
    fit_->iterate(chains);
    if (chains.iteration >= fitting_ / 2) fit_->collect();
    if (chains.iteration + 1 < fitting_) return;
    surrogates_ = fit_->take(chains);
    fitted_ = true;
    // Each client sends its surrogates and receives the product of all surrogates.
    const std::int64_t bits = 64 * surrogates_.front().all.words() * fit_->sets();
    chains.counters.uplink_bits += bits * chains.clients();
    chains.counters.downlink_bits += bits * chains.clients();
    chains.counters.broadcast_bits += bits;
    for (Index i = 0; i < chains.clients(); ++i) chains.add_bits(i, bits, bits);
    chains.loads.close(true);
  }

  void choose_clients(const Chains& chains) {
    for (std::size_t c = 0; c < visited_.size(); ++c) {
      double u = 0;
      uniforms(chains.stream(static_cast<Index>(c), Purpose::visit), {&u, 1});
      std::size_t s = 0;
      for (; s + 1 < frequency_.size() && u >= frequency_[s]; ++s) u -= frequency_[s];
      visited_[c] = static_cast<std::uint32_t>(s);
    }
  }

  const Surrogates* surrogates_of(Index chain) const {
    if (surrogates_.empty()) return nullptr;
    return &surrogates_[surrogates_.size() == 1 ? 0 : static_cast<std::size_t>(chain)];
  }

  void step_chain(Chains& chains, Index chain) {
    const std::size_t s = visited_[static_cast<std::size_t>(chain)];
    const auto theta = chains.position.column(chain), g = gradient_.column(0), z = noise_.column(0);
    gradients_.estimate_likelihood(chains, static_cast<Index>(s), chain, static_cast<std::uint64_t>(chains.iteration),
                                   g);
    const Surrogates* set = surrogates_of(chain);
    if (set != nullptr) set->own[s].add_gradient(theta, -1.0, g);
    math::scale(1 / frequency_[s], g);
    if (set != nullptr) set->all.add_gradient(theta, 1.0, g);
    chains.problem.prior->add_gradient(theta, 1.0, g);
    normals(chains.stream(chain, Purpose::noise), z);
    math::langevin_step(theta, g, z, step_, std::sqrt(2 * step_ * chains.problem.temperature));
  }

  double step_;
  std::int64_t local_steps_, warm_up_, fitting_;
  std::vector<double> frequency_;  // f_s
  std::unique_ptr<SurrogateFit> fit_;
  bool fitted_;
  ClientGradients gradients_;
  std::vector<Surrogates> surrogates_;  // one shared by all chains, or one per chain; if empty, Q_s = 0
  std::vector<std::uint32_t> visited_;  // the client that each chain visits
  Panel gradient_, noise_;
};

}  // namespace

KernelPointer make_fsgld(const Chains& chains, const ReferenceSettings& settings) {
  return std::make_unique<Fsgld>(chains, settings);
}

}  // namespace pollen::reference
