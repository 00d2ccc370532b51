// Hamiltonian Monte Carlo (Duane et al. 1987) with trajectories of a fixed length up to jitter; all chains move side by
// side. MALA is the case of one leapfrog step: with ε² = 2γT the proposal q - ½ε²∇U/T + εz equals θ - γ∇U + √(2γT)z,
// and exp(-ΔH) is the Metropolis-Hastings ratio.
#include <algorithm>
#include <cmath>
#include <utility>

#include "hamiltonian.h"
#include "math/math.h"
#include "samplers.h"

namespace pollen::reference {

namespace {

struct Path {
  bool mala = false;
  Index leapfrogs = 0;  // 0 means length / ε
  double length = 0;
  double jitter = 0;
  Index most = 1;
};

class Hmc final : public HamiltonianKernel {
 public:
  Hmc(const Chains& chains, const ReferenceSettings& settings, Target target, double default_accept, const Path& path)
      : HamiltonianKernel(chains, settings, std::move(target), default_accept),
        path_(path),
        order_(static_cast<std::size_t>(chains.count())),
        count_(order_.size()),
        before_(order_.size()),
        after_(order_.size()),
        q_(chains.problem.dimension, chains.count()),
        p_(q_),
        g_(q_) {}

  void iterate(Chains& chains) override {
    choose_lengths(chains);
    for (std::size_t i = 0; i < order_.size(); ++i) begin(chains, i);
    travel(chains);
    for (std::size_t i = 0; i < order_.size(); ++i) finish(chains, i);
    learn(chains);
  }

 private:
  // Chooses the number of steps of each chain and sorts the columns of q, p and g, longest first, so that the chains
  // that still move are always the leading columns.
  void choose_lengths(const Chains& chains) {
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = static_cast<Index>(i);
    for (std::size_t c = 0; c < count_.size(); ++c) {
      const auto chain = static_cast<Index>(c);
      double wanted =
          path_.leapfrogs > 0 ? static_cast<double>(path_.leapfrogs) : path_.length / adaptation_.step(chain);
      if (path_.jitter > 0) {
        double u = 0;
        uniforms(chains.stream(chain, Purpose::trajectory), {&u, 1});
        wanted *= 1 + path_.jitter * (2 * u - 1);
      }
      count_[c] = static_cast<Index>(std::clamp(std::floor(wanted + 0.5), 1.0, static_cast<double>(path_.most)));
    }
    std::ranges::sort(order_,
                      [&](Index a, Index b) { return std::pair(-count_of(a), a) < std::pair(-count_of(b), b); });
  }

  void begin(const Chains& chains, std::size_t i) {
    const auto column = static_cast<Index>(i);
    const Index chain = order_[i];
    const auto mass = adaptation_.inverse_mass(chain);
    std::ranges::copy(chains.position.column(chain), q_.column(column).begin());
    draw_momentum(chains.stream(chain, Purpose::momentum), mass, p_.column(column));
    before_[i] = value_[static_cast<std::size_t>(chain)] + kinetic(p_.column(column), mass);
    math::axpy(-0.5 * adaptation_.step(chain), gradient_.column(chain), p_.column(column));
  }

  void travel(Chains& chains) {
    const Index longest = count_of(order_.front());
    Index moving = chains.count();
    for (Index s = 1; s <= longest; ++s) {
      while (count_of(order_[static_cast<std::size_t>(moving - 1)]) < s) --moving;
      for (Index i = 0; i < moving; ++i) {
        const Index chain = order_[static_cast<std::size_t>(i)];
        drift(adaptation_.step(chain), adaptation_.inverse_mass(chain), p_.column(i), q_.column(i));
      }
      target_.gradient(leading(q_, moving), leading(g_, moving), chains.work.scratch);
      chains.counters.gradients += target_.rows() * moving;
      for (Index i = 0; i < moving; ++i) {
        const Index chain = order_[static_cast<std::size_t>(i)];
        const double part = count_of(chain) == s ? 0.5 : 1.0;
        math::axpy(-part * adaptation_.step(chain), g_.column(i), p_.column(i));
      }
    }
    target_.value(q_, after_, chains.work.scratch);
  }

  void finish(Chains& chains, std::size_t i) {
    const auto column = static_cast<Index>(i);
    const Index chain = order_[i];
    const auto c = static_cast<std::size_t>(chain);
    const double energy = after_[i] + kinetic(p_.column(column), adaptation_.inverse_mass(chain));
    const double loss = energy - before_[i];
    const double accept = std::isnan(loss) ? 0 : loss <= 0 ? 1 : math::exp(-loss);
    double u = 0;
    uniforms(chains.stream(chain, Purpose::metropolis), {&u, 1});
    const bool accepted = u < accept;
    const double step = adaptation_.step(chain);
    transitions_[c] = {accept,
                       path_.mala ? step * step / (2 * target_.temperature()) : step,
                       0,
                       static_cast<int>(count_[c]),
                       !(loss <= kDivergence),
                       accepted ? energy : before_[i]};
    if (!accepted) return;
    std::ranges::copy(q_.column(column), chains.position.column(chain).begin());
    std::ranges::copy(g_.column(column), gradient_.column(chain).begin());
    value_[c] = after_[i];
  }

  Index count_of(Index chain) const { return count_[static_cast<std::size_t>(chain)]; }
  static PanelView leading(Panel& panel, Index columns) {
    PanelView view = panel;
    view.columns = columns;
    return view;
  }

  Path path_;
  std::vector<Index> order_;  // the chain in each column
  std::vector<Index> count_;  // leapfrog steps per chain
  std::vector<double> before_, after_;
  Panel q_, p_, g_;
};

}  // namespace

KernelPointer make_mala(const Chains& chains, const ReferenceSettings& settings, Target target) {
  ReferenceSettings own = settings;
  own.adapt_mass = false;
  if (own.step) own.step = std::sqrt(2 * *own.step * target.temperature());
  return std::make_unique<Hmc>(chains, own, std::move(target), 0.574, Path{.mala = true, .leapfrogs = 1});
}

KernelPointer make_hmc(const Chains& chains, const ReferenceSettings& settings, Target target) {
  const Path path{false, settings.leapfrogs, settings.trajectory, settings.jitter, settings.most_leapfrogs};
  return std::make_unique<Hmc>(chains, settings, std::move(target), 0.8, path);
}

}  // namespace pollen::reference
