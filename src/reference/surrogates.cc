#include "surrogates.h"

#include "local_posteriors.h"
#include "math/math.h"

namespace pollen::reference {

void Surrogate::add_gradient(std::span<const double> theta, double weight, std::span<double> g) const {
  precision.multiply_add(theta, weight, g);
  math::axpy(-weight, shift, g);
}

void Surrogate::archive(Archive& archive) {
  precision.archive(archive);
  archive.array(std::span(shift));
}

Surrogates::Surrogates(Index dimension, Index clients, bool diagonal)
    : all{Symmetric(dimension, diagonal), std::vector<double>(static_cast<std::size_t>(dimension))},
      own(static_cast<std::size_t>(clients), all) {}

void Surrogates::set(Index client, const Symmetric& precision, std::span<const double> mean) {
  Surrogate& surrogate = own[static_cast<std::size_t>(client)];
  surrogate.precision = precision;
  surrogate.precision.multiply_add(mean, 1.0, surrogate.shift);
}

void Surrogates::multiply() {
  for (const Surrogate& surrogate : own) {
    all.precision.add(surrogate.precision);
    math::add(surrogate.shift, all.shift);
  }
}

void Surrogates::archive(Archive& archive) {
  all.archive(archive);
  for (Surrogate& surrogate : own) surrogate.archive(archive);
}

namespace {

// Fits surrogates to draws. Each client samples exp(-(U_s + U_0)), which is proper whenever the posterior is. From the
// draws' mean m and covariance C the surrogate is Λ_s = C⁻¹ - ∇²U_0, h_s = C⁻¹m.
class FitOfDraws final : public SurrogateFit {
 public:
  FitOfDraws(const Chains& chains, const ReferenceSettings& settings, std::int64_t warm_up)
      : empty_(chains.problem.dimension, chains.clients(), settings.diagonal),
        parts_(chains, settings, {1, 1, warm_up}) {}

  Surrogates empty() const override { return empty_; }
  Index sets() const override { return 1; }
  void start(const Chains& chains) override { parts_.start(chains); }
  void iterate(Chains& chains) override { parts_.iterate(chains); }
  void collect() override { parts_.collect(); }
  void archive(Archive& archive) override { parts_.archive(archive); }

  std::vector<Surrogates> take(const Chains& chains) override {
    Surrogates found = empty_;
    const auto& prior = chains.problem.prior->precision;
    for (Index i = 0; i < chains.clients(); ++i) {
      found.set(i, parts_.precision(i), parts_.moments(i).mean());
      Symmetric& precision = found.own[static_cast<std::size_t>(i)].precision;
      for (std::size_t j = 0; j < prior.size(); ++j) precision.at(j, j) -= prior[j];
    }
    found.multiply();
    return {std::move(found)};
  }

 private:
  Surrogates empty_;
  LocalPosteriors parts_;
};

}  // namespace

std::unique_ptr<SurrogateFit> make_fit_of_draws(const Chains& chains, const ReferenceSettings& settings,
                                                std::int64_t warm_up) {
  return std::make_unique<FitOfDraws>(chains, settings, warm_up);
}

}  // namespace pollen::reference
