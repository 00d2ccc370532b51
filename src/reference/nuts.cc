// The no-U-turn sampler (Hoffman and Gelman 2014). Chains move one after another, because each decides by itself how
// long its trajectory is.
#include <algorithm>
#include <utility>

#include "hamiltonian.h"
#include "samplers.h"
#include "tree.h"

namespace pollen::reference {

namespace {

class Nuts final : public Kernel {
 public:
  Nuts(const Chains& chains, const ReferenceSettings& settings, HamiltonianState state)
      : state_(std::move(state)), tree_(chains.problem.dimension, static_cast<int>(settings.max_depth)) {}

  void start(Chains& chains) override { state_.start(chains); }

  void iterate(Chains& chains) override {
    for (Index c = 0; c < chains.count(); ++c) move(chains, c);
    state_.learn(chains);
  }

  bool emits(std::int64_t iteration) const override { return state_.emits(iteration); }
  std::span<const Transition> transitions() const override { return state_.transitions; }
  void archive(Archive& archive) override { state_.archive(archive); }

 private:
  void move(Chains& chains, Index chain) {
    const auto c = static_cast<std::size_t>(chain);
    const TreeSampler::Start start{chains.position.column(chain),
                                   state_.gradient.column(chain),
                                   state_.adaptation.inverse_mass(chain),
                                   state_.value[c],
                                   state_.adaptation.step(chain),
                                   chains.stream(chain, Purpose::momentum),
                                   chains.stream(chain, Purpose::trajectory)};
    state_.transitions[c] = tree_.sample(state_.target, start, chains.work.scratch);
    chains.counters.gradients += state_.target.rows() * state_.transitions[c].leapfrogs;
    std::ranges::copy(tree_.position(), chains.position.column(chain).begin());
    std::ranges::copy(tree_.gradient(), state_.gradient.column(chain).begin());
    state_.value[c] = tree_.value();
  }

  HamiltonianState state_;
  TreeSampler tree_;
};

}  // namespace

KernelPointer make_nuts(const Chains& chains, const ReferenceSettings& settings, Target target) {
  const double accept = settings.target_accept.value_or(0.8);
  return std::make_unique<Nuts>(chains, settings, HamiltonianState(chains, settings, std::move(target), accept));
}

}  // namespace pollen::reference
