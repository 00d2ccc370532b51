// FedPA (Al-Shedivat et al. 2021), an optimiser. From the server's θ every client samples its part exp(-(U_i + ϖ_i
// U_0)/T) of the posterior by Langevin steps (the paper uses SGD; Langevin steps have a known noise). It sends Δ_i =
// Σ_i⁻¹(θ - μ_i), where μ_i and Σ_i are the mean and covariance of a Gaussian fitted to ℓ samples, and the server takes
// θ ← θ - η Σ Δ_i. For Gaussian parts and large ℓ, Σ Δ_i = ∇U(θ)/T, which is gradient descent on U with one exchange
// for many local steps. The emitted states are the server's iterates.
#include <cmath>

#include "client_gradients.h"
#include "math/math.h"
#include "pollen/archive.h"
#include "samplers.h"
#include "shrinkage.h"

namespace pollen::reference {

namespace {

class FedPa final : public Kernel {
 public:
  FedPa(const Chains& chains, const ReferenceSettings& settings)
      : step_(*settings.step),
        server_step_(settings.server_step.value_or(step_ / static_cast<double>(chains.clients()))),
        burn_in_(settings.local_burn_in),
        spacing_(settings.local_steps),
        samples_(settings.samples),
        gradients_(chains, settings.batch,
                   std::vector<double>(chains.problem.clients.size(), 1 / static_cast<double>(chains.clients()))),
        gradient_(chains.problem.dimension, chains.count()),
        local_(gradient_),
        change_(gradient_),
        noise_(chains.problem.dimension, 1),
        solvers_(static_cast<std::size_t>(chains.count()),
                 ShrinkageSolver(chains.problem.dimension, settings.samples, settings.shrinkage)) {}

  void iterate(Chains& chains) override {
    fill(change_, 0);
    for (Index i = 0; i < chains.clients(); ++i) {
      sample_client(chains, i);
      const auto delta = noise_.column(0);
      for (Index c = 0; c < chains.count(); ++c) {
        solvers_[static_cast<std::size_t>(c)].solve(chains.position.column(c), delta);
        math::add(delta, change_.column(c));
      }
    }
    for (Index c = 0; c < chains.count(); ++c) math::axpy(-server_step_, change_.column(c), chains.position.column(c));
    chains.count_exchange(1, 1);
  }

 private:
  Index steps() const { return burn_in_ + spacing_ * samples_; }

  void sample_client(Chains& chains, Index client) {
    copy_into(chains.position, local_);
    for (ShrinkageSolver& solver : solvers_) solver.clear();
    for (Index k = 0; k < steps(); ++k) {
      step_client(chains, client, k);
      if (k < burn_in_ || (k - burn_in_ + 1) % spacing_ != 0) continue;
      for (Index c = 0; c < chains.count(); ++c) solvers_[static_cast<std::size_t>(c)].add(local_.column(c));
    }
  }

  void step_client(Chains& chains, Index client, Index k) {
    const auto draw = static_cast<std::uint64_t>(chains.iteration * steps() + k);
    gradients_.estimate(chains, client, draw, local_, gradient_);
    const double spread = std::sqrt(2 * step_ * chains.problem.temperature);
    for (Index c = 0; c < chains.count(); ++c) {
      Stream stream = chains.stream(c, Purpose::reference_noise, static_cast<std::uint32_t>(k));
      stream.client = static_cast<std::uint32_t>(client);
      normals(stream, noise_.column(0));
      math::langevin_step(local_.column(c), gradient_.column(c), noise_.column(0), step_, spread);
    }
  }

  double step_, server_step_;
  Index burn_in_, spacing_, samples_;
  ClientGradients gradients_;
  Panel gradient_, local_, change_, noise_;
  std::vector<ShrinkageSolver> solvers_;  // one per chain; empty between rounds
};

}  // namespace

KernelPointer make_fedpa(const Chains& chains, const ReferenceSettings& settings) {
  return std::make_unique<FedPa>(chains, settings);
}

}  // namespace pollen::reference
