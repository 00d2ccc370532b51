// SWAG surrogates (Maddox et al. 2019, variances alone), with f_s = N_s/N. From the chain's start every client descends
// its part of the posterior,
//   y ← y - (η/f_s) ∇(U_s + f_s U_0)(y)
// with its minibatches, and Q_s is the normal law with mean and variance of the iterates. The shares f_s U_0 of the
// prior leave FSGLD's drift as they came: Σ_r f_r ∇U_0 - (1/f_s) f_s ∇U_0 = 0.
//
// How far iterates spread depends on η and the minibatches, and where a client has no gradient they do not spread at
// all. A visit of K steps γ multiplies coordinate j by about exp(-Kγ(p + Σ_r Λ_r - Λ_s/f_s)), p the prior's precision,
// where only the prior holds it: its square does not grow in the mean while Kγ Σ_s Λ_s²/f_s ≤ p. Hence
//   variance ≥ √(Kγ/p)/f_s, and at least Kγ/f_s: one visit pushes by less than a factor e.
#include <algorithm>
#include <cmath>

#include "client_gradients.h"
#include "math/math.h"
#include "pollen/errors.h"
#include "surrogates.h"

namespace pollen::reference {

namespace {

class Swag final : public SurrogateFit {
 public:
  Swag(const Chains& chains, const ReferenceSettings& settings)
      : rate_(settings.swag_rate.value_or(*settings.step)),
        visit_(*settings.step * static_cast<double>(settings.local_steps)),
        least_sd_(settings.swag_least_sd),
        share_(size_weights(chains.problem)),
        gradients_(chains, settings.batch, share_),
        gradient_(chains.problem.dimension, chains.count()),
        local_(share_.size(), gradient_),
        moments_(share_.size(), std::vector<RunningCovariance>(static_cast<std::size_t>(chains.count()),
                                                               RunningCovariance(chains.problem.dimension, true))) {}

  Surrogates empty() const override { return {gradient_.rows(), std::ssize(share_), true}; }
  Index sets() const override { return gradient_.columns(); }

  void start(const Chains& chains) override {
    for (Panel& local : local_) copy_into(chains.position, local);
  }

  void iterate(Chains& chains) override {
    for (std::size_t i = 0; i < local_.size(); ++i) {
      gradients_.estimate(chains, static_cast<Index>(i), static_cast<std::uint64_t>(chains.iteration), local_[i],
                          gradient_);
      for (Index c = 0; c < chains.count(); ++c)
        math::axpy(-rate_ / share_[i], gradient_.column(c), local_[i].column(c));
    }
  }

  void collect() override {
    for (std::size_t i = 0; i < local_.size(); ++i)
      for (std::size_t c = 0; c < moments_[i].size(); ++c) moments_[i][c].add(local_[i].column(static_cast<Index>(c)));
  }

  std::vector<Surrogates> take(const Chains& chains) override {
    std::vector<Surrogates> found(static_cast<std::size_t>(sets()), empty());
    for (std::size_t i = 0; i < local_.size(); ++i)
      for (std::size_t c = 0; c < found.size(); ++c) {
        const RunningCovariance& moments = moments_[i][c];
        found[c].set(static_cast<Index>(i), precision(chains, i, moments.covariance()), moments.mean());
      }
    for (Surrogates& one : found) one.multiply();
    local_.clear();
    moments_.clear();
    return found;
  }

  void archive(Archive& archive) override {
    for (std::size_t i = 0; i < local_.size(); ++i) {
      archive.array(local_[i].flat());
      for (RunningCovariance& moments : moments_[i]) moments.archive(archive);
    }
  }

 private:
  Symmetric precision(const Chains& chains, std::size_t client, Symmetric spread) const {
    const auto& prior = chains.problem.prior->precision;
    for (std::size_t j = 0; j < static_cast<std::size_t>(gradient_.rows()); ++j) {
      const double variance = spread.at(j, j);
      if (!std::isfinite(variance))
        throw NumericError("a client's descent for its surrogate explodes; try a smaller sampler.swag_rate",
                           chains.iteration, static_cast<Index>(client));
      spread.at(j, j) = 1 / std::max(variance, least_variance(client, prior.empty() ? 0 : prior[j]));
    }
    return spread;
  }

  double least_variance(std::size_t client, double prior) const {
    if (least_sd_) return *least_sd_ * *least_sd_;
    return std::max(visit_, prior > 0 ? std::sqrt(visit_ / prior) : 0) / share_[client];
  }

  double rate_, visit_;  // η, Kγ
  std::optional<double> least_sd_;
  std::vector<double> share_;  // f_s
  ClientGradients gradients_;
  Panel gradient_;
  std::vector<Panel> local_;                             // y of every client, a column a chain
  std::vector<std::vector<RunningCovariance>> moments_;  // of every client and chain
};

}  // namespace

std::unique_ptr<SurrogateFit> make_swag_fit(const Chains& chains, const ReferenceSettings& settings) {
  return std::make_unique<Swag>(chains, settings);
}

}  // namespace pollen::reference
