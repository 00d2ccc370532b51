// FedRep (Collins et al. 2021): the head z_i stays with its client, the representation φ is averaged. In a round a
// client takes
//   head_steps times  z_i ← z_i - γ ∇_z f_i(φ, z_i),   then local_steps times  φ_i ← φ_i - γ ∇_φ f_i(φ_i, z_i).
#include <algorithm>

#include "baseline_parts.h"
#include "math/math.h"

namespace pollen::baselines {

namespace {

class FedRep final : public Baseline {
 public:
  FedRep(const PersonalProblem& of, const BaselineSettings& how)
      : Baseline(of, how, shared_part(of), latent_part(of)), phi_(shared_part(of)), z_(latent_part(of)) {}

 private:
  void train(Index client, Index chain, std::span<double> w) override {
    const auto g = scratch().take<double>(dimension());
    for (Index m = 0; m < settings().head_steps; ++m) descend(client, w, g, z_);
    for (Index m = 0; m < settings().local_steps; ++m) descend(client, w, g, phi_);
    std::ranges::copy(z_.of(w), own(client, chain).begin());
  }

  void descend(Index client, std::span<double> w, std::span<double> g, Slice part) {
    gradient(client, w, g);
    math::axpy(-settings().step, part.of(g), part.of(w));
  }

  Slice phi_, z_;
};

}  // namespace

BaselinePointer make_fedrep(const PersonalProblem& problem, const BaselineSettings& settings) {
  return std::make_unique<FedRep>(problem, settings);
}

}  // namespace pollen::baselines
