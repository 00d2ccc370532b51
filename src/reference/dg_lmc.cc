// DG-LMC (Plassier et al. 2021): a Gibbs sampler on exp(-Σ_i [U_i(x_i) + ϖ_i U_0(x_i) + ‖x_i-θ‖²/2ρ]/T) with ϖ_i = 1/b
// and one ρ for all clients. Each client moves its x_i by K Langevin steps from where it was, then the server draws θ
// exactly:
//   x_i ← x_i - γ[∇(U_i + ϖ_i U_0)(x_i) + (x_i-θ)/ρ] + √(2γT) ξ,   θ ~ N(mean x_i, (Tρ/b) I)
// A round sends θ down and every x_i up. The law of θ tends to the target as ρ → 0 and γ/ρ → 0.
#include <cmath>

#include "client_gradients.h"
#include "math/math.h"
#include "pollen/archive.h"
#include "samplers.h"

namespace pollen::reference {

namespace {

class DgLmc final : public Kernel {
 public:
  DgLmc(const Chains& chains, const ReferenceSettings& settings)
      : step_(*settings.step),
        tolerance_(settings.tolerance.value_or(10 * step_)),
        local_steps_(settings.local_steps),
        gradients_(chains, settings.batch,
                   std::vector<double>(chains.problem.clients.size(), 1 / static_cast<double>(chains.clients()))),
        gradient_(chains.problem.dimension, chains.count()),
        noise_(chains.problem.dimension, 1),
        local_(chains.problem.clients.size(), gradient_) {}

  void start(Chains& chains) override {
    for (Panel& x : local_) copy_into(chains.position, x);
  }

  void iterate(Chains& chains) override {
    for (Index i = 0; i < chains.clients(); ++i)
      for (Index k = 0; k < local_steps_; ++k) step_client(chains, i, k);
    for (Index c = 0; c < chains.count(); ++c) draw_centre(chains, c);
    chains.count_exchange(1, 1);
  }

  void archive(Archive& archive) override {
    for (Panel& x : local_) archive.array(x.flat());
  }

 private:
  void step_client(Chains& chains, Index client, Index k) {
    Panel& x = local_[static_cast<std::size_t>(client)];
    const auto draw = static_cast<std::uint64_t>(chains.iteration * local_steps_ + k);
    gradients_.estimate(chains, client, draw, x, gradient_);
    const double spread = std::sqrt(2 * step_ * chains.problem.temperature);
    for (Index c = 0; c < chains.count(); ++c) {
      const auto g = gradient_.column(c);
      math::axpy(1 / tolerance_, x.column(c), g);
      math::axpy(-1 / tolerance_, chains.position.column(c), g);
      Stream stream = chains.stream(c, Purpose::reference_noise, static_cast<std::uint32_t>(k));
      stream.client = static_cast<std::uint32_t>(client);
      normals(stream, noise_.column(0));
      math::langevin_step(x.column(c), g, noise_.column(0), step_, spread);
    }
  }

  void draw_centre(Chains& chains, Index chain) {
    const auto theta = chains.position.column(chain);
    const double share = 1 / static_cast<double>(local_.size());
    normals(chains.stream(chain, Purpose::noise), theta);
    math::scale(std::sqrt(chains.problem.temperature * tolerance_ * share), theta);
    for (const Panel& x : local_) math::axpy(share, x.column(chain), theta);
  }

  double step_, tolerance_;
  Index local_steps_;
  ClientGradients gradients_;
  Panel gradient_, noise_;
  std::vector<Panel> local_;  // x_i
};

}  // namespace

KernelPointer make_dg_lmc(const Chains& chains, const ReferenceSettings& settings) {
  return std::make_unique<DgLmc>(chains, settings);
}

}  // namespace pollen::reference
