// pSGLD (Li et al. 2016) without its Γ term, as in published experiments. With ḡ the mean gradient of the minibatch's
// rows:
//   V ← αV + (1-α) ḡ∘ḡ;  G = 1/(λ + √V);  θ ← θ - γ G∘g + √(2γT G)∘Z
// G depends on the state, so without Γ the law is not the target even as γ → 0: as α → 0 it is ∝ exp(-U/T)/G. V starts
// at the first ḡ∘ḡ, because a start at zero would make the first steps huge.
#include <cmath>
#include <utility>

#include "math/math.h"
#include "pollen/archive.h"
#include "pooled.h"
#include "samplers.h"

namespace pollen::reference {

namespace {

class Preconditioned final : public Kernel {
 public:
  Preconditioned(const Chains& chains, const ReferenceSettings& settings)
      : step_(*settings.step),
        decay_(settings.decay),
        damping_(settings.damping),
        pooled_(make_pooled(chains.problem)),
        oracle_(make_oracle("minibatch", *pooled_, settings.batch.of(pooled_->rows()), chains.count())),
        everyone_(everyone(chains.count())),
        gradient_(chains.problem.dimension, chains.count()),
        square_(chains.problem.dimension, chains.count()),
        noise_(chains.problem.dimension, 1) {
    for (Index c = 0; c < chains.count(); ++c) minibatch_.push_back(chains.stream(c, Purpose::minibatch));
  }

  void iterate(Chains& chains) override {
    const auto round = static_cast<std::uint64_t>(chains.iteration);
    const OracleInput input{chains.position, everyone_, {}, {}, minibatch_, round, 0};
    chains.counters.gradients += oracle_->estimate(input, gradient_, chains.work);
    for (Index c = 0; c < chains.count(); ++c) step_chain(chains, c);
  }

  void archive(Archive& archive) override { archive.array(square_.flat()); }

 private:
  void step_chain(Chains& chains, Index chain) {
    const auto theta = chains.position.column(chain);
    const auto g = gradient_.column(chain);
    const auto square = square_.column(chain);
    const auto z = noise_.column(0);
    const double keep = chains.iteration == 0 ? 0 : decay_;
    const double rows = 1 / static_cast<double>(pooled_->rows());
    for (std::size_t j = 0; j < g.size(); ++j) {
      const double mean = rows * g[j];
      square[j] = keep * square[j] + (1 - keep) * (mean * mean);
    }
    chains.problem.prior->add_gradient(theta, 1.0, g);
    normals(chains.stream(chain, Purpose::noise), z);
    for (std::size_t j = 0; j < g.size(); ++j) {
      const double scaled = step_ / (damping_ + std::sqrt(square[j]));
      theta[j] += std::sqrt(2 * chains.problem.temperature * scaled) * z[j] - scaled * g[j];
    }
  }

  double step_, decay_, damping_;
  std::shared_ptr<const Potential> pooled_;
  std::unique_ptr<Oracle> oracle_;
  std::vector<std::uint32_t> everyone_;
  std::vector<Stream> minibatch_;
  Panel gradient_, square_, noise_;
};

}  // namespace

KernelPointer make_psgld(const Chains& chains, const ReferenceSettings& settings) {
  return std::make_unique<Preconditioned>(chains, settings);
}

}  // namespace pollen::reference
