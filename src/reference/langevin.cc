// Langevin steps on the pooled potential: θ ← θ - γ g + √(2γT) Z, where g is ∇U_0(θ) plus an oracle's estimate of
// Σ∇U_i(θ):
//   ula          all rows
//   sgld-pooled  a minibatch of all rows, whichever client holds them (Welling and Teh 2011)
//   svrg-ld      the minibatch's difference from an anchor ζ plus the full gradient at ζ (Dubey et al. 2016);
//                every `refresh` iterations ζ ← θ, and rows are drawn without replacement
//   psgld        a minibatch, and a preconditioner (see below)
#include <algorithm>
#include <cmath>

#include "math/math.h"
#include "pollen/archive.h"
#include "pooled.h"
#include "samplers.h"

namespace pollen::reference {

namespace {

// An oracle over the pooled rows, and its last estimate for every chain, without the prior.
struct PooledOracle {
  PooledOracle(const Chains& chains, const ReferenceSettings& settings, const std::string& name)
      : potential(make_pooled(chains.problem)),
        oracle(make_oracle(name, *potential, settings.batch.of(potential->rows()), chains.count())),
        everyone(reference::everyone(chains.count())),
        gradient(chains.problem.dimension, chains.count()) {
    for (Index c = 0; c < chains.count(); ++c) minibatch.push_back(chains.stream(c, Purpose::minibatch));
  }

  void estimate(Chains& chains, ConstPanelView anchor = {}, std::span<const std::uint64_t> version = {}) {
    const auto round = static_cast<std::uint64_t>(chains.iteration);
    const OracleInput input{chains.position, everyone, anchor, version, minibatch, round, 0};
    chains.counters.gradients += oracle->estimate(input, gradient, chains.work);
  }

  std::shared_ptr<const Potential> potential;
  std::unique_ptr<Oracle> oracle;
  std::vector<std::uint32_t> everyone;
  std::vector<Stream> minibatch;
  Panel gradient;
};

class Langevin final : public Kernel {
 public:
  Langevin(const Chains& chains, const ReferenceSettings& settings, const std::string& oracle)
      : step_(*settings.step),
        refresh_(oracle == "svrg" ? settings.refresh : 0),
        pooled_(chains, settings, oracle),
        noise_(chains.problem.dimension, 1) {
    if (refresh_ == 0) return;
    anchor_ = pooled_.gradient;
    version_.assign(pooled_.everyone.size(), 0);
  }

  void iterate(Chains& chains) override {
    if (refresh_ > 0 && chains.iteration % refresh_ == 0) {
      copy_into(chains.position, anchor_);
      std::ranges::fill(version_, static_cast<std::uint64_t>(chains.iteration) + 1);
    }
    pooled_.estimate(chains, anchor_, version_);
    const double spread = std::sqrt(2 * step_ * chains.problem.temperature);
    for (Index c = 0; c < chains.count(); ++c) {
      const auto theta = chains.position.column(c);
      const auto g = pooled_.gradient.column(c);
      chains.problem.prior->add_gradient(theta, 1.0, g);
      normals(chains.stream(c, Purpose::noise), noise_.column(0));
      math::langevin_step(theta, g, noise_.column(0), step_, spread);
    }
  }

  void archive(Archive& archive) override {
    archive.array(anchor_.flat());
    archive.array(std::span(version_));
    for (const auto& part : pooled_.oracle->state()) archive.array(part);
    for (const auto& part : pooled_.oracle->versions()) archive.array(part);
  }

 private:
  double step_;
  std::int64_t refresh_;
  PooledOracle pooled_;
  Panel noise_;
  Panel anchor_;                        // ζ
  std::vector<std::uint64_t> version_;  // version of ζ per chain
};

// pSGLD (Li et al. 2016) without its Γ term, as in published experiments. With ḡ the mean gradient of the minibatch's
// rows:
//   V ← αV + (1-α) ḡ∘ḡ;  G = 1/(λ + √V);  θ ← θ - γ G∘g + √(2γT G)∘Z
// G depends on the state, so without Γ the law is not the target even as γ → 0: as α → 0 it is ∝ exp(-U/T)/G. V starts
// at the first ḡ∘ḡ, because a start at zero would make the first steps huge.
class Preconditioned final : public Kernel {
 public:
  Preconditioned(const Chains& chains, const ReferenceSettings& settings)
      : step_(*settings.step),
        decay_(settings.decay),
        damping_(settings.damping),
        pooled_(chains, settings, "minibatch"),
        square_(pooled_.gradient),
        noise_(chains.problem.dimension, 1) {}

  void iterate(Chains& chains) override {
    pooled_.estimate(chains);
    for (Index c = 0; c < chains.count(); ++c) step_chain(chains, c);
  }

  void archive(Archive& archive) override { archive.array(square_.flat()); }

 private:
  void step_chain(Chains& chains, Index chain) {
    const auto theta = chains.position.column(chain);
    const auto g = pooled_.gradient.column(chain);
    const auto square = square_.column(chain);
    const auto z = noise_.column(0);
    const double keep = chains.iteration == 0 ? 0 : decay_;
    const double rows = 1 / static_cast<double>(pooled_.potential->rows());
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
  PooledOracle pooled_;
  Panel square_, noise_;
};

}  // namespace

KernelPointer make_ula(const Chains& chains, const ReferenceSettings& settings) {
  return std::make_unique<Langevin>(chains, settings, "full");
}

KernelPointer make_sgld_pooled(const Chains& chains, const ReferenceSettings& settings) {
  return std::make_unique<Langevin>(chains, settings, "minibatch");
}

KernelPointer make_svrg_ld(const Chains& chains, const ReferenceSettings& settings) {
  return std::make_unique<Langevin>(chains, settings, "svrg");
}

KernelPointer make_psgld(const Chains& chains, const ReferenceSettings& settings) {
  return std::make_unique<Preconditioned>(chains, settings);
}

}  // namespace pollen::reference
