// Langevin steps on the pooled potential: θ ← θ - γ g + √(2γT) Z, where g is ∇U_0(θ) plus an oracle's estimate of
// Σ∇U_i(θ):
//   ula          all rows
//   sgld-pooled  a minibatch of all rows, whichever client holds them (Welling and Teh 2011)
//   svrg-ld      the minibatch's difference from an anchor ζ plus the full gradient at ζ (Dubey et al. 2016); ζ ← θ
//   every
//                `refresh` iterations, and rows are drawn without replacement
#include <algorithm>
#include <cmath>
#include <utility>

#include "math/math.h"
#include "pollen/archive.h"
#include "pooled.h"
#include "samplers.h"

namespace pollen::reference {

namespace {

class Langevin final : public Kernel {
 public:
  Langevin(const Chains& chains, const ReferenceSettings& settings, const std::string& oracle)
      : step_(*settings.step),
        refresh_(oracle == "svrg" ? settings.refresh : 0),
        pooled_(make_pooled(chains.problem)),
        oracle_(make_oracle(oracle, *pooled_, settings.batch.of(pooled_->rows()), chains.count())),
        everyone_(everyone(chains.count())),
        gradient_(chains.problem.dimension, chains.count()),
        noise_(chains.problem.dimension, 1) {
    for (Index c = 0; c < chains.count(); ++c) minibatch_.push_back(chains.stream(c, Purpose::minibatch));
    if (refresh_ == 0) return;
    anchor_ = Panel(chains.problem.dimension, chains.count());
    version_.assign(everyone_.size(), 0);
  }

  void iterate(Chains& chains) override {
    const auto round = static_cast<std::uint64_t>(chains.iteration);
    if (refresh_ > 0 && chains.iteration % refresh_ == 0) {
      copy_into(chains.position, anchor_);
      std::ranges::fill(version_, round + 1);
    }
    const OracleInput input{chains.position, everyone_, anchor_, version_, minibatch_, round, 0};
    chains.counters.gradients += oracle_->estimate(input, gradient_, chains.work);
    const double spread = std::sqrt(2 * step_ * chains.problem.temperature);
    for (Index c = 0; c < chains.count(); ++c) {
      const auto theta = chains.position.column(c);
      chains.problem.prior->add_gradient(theta, 1.0, gradient_.column(c));
      normals(chains.stream(c, Purpose::noise), noise_.column(0));
      math::langevin_step(theta, gradient_.column(c), noise_.column(0), step_, spread);
    }
  }

  void archive(Archive& archive) override {
    archive.array(anchor_.flat());
    archive.array(std::span(version_));
    for (const auto& part : oracle_->state()) archive.array(part);
    for (const auto& part : oracle_->versions()) archive.array(part);
  }

 private:
  double step_;
  std::int64_t refresh_;
  std::shared_ptr<const Potential> pooled_;
  std::unique_ptr<Oracle> oracle_;
  std::vector<std::uint32_t> everyone_;
  std::vector<Stream> minibatch_;
  Panel gradient_, noise_;
  Panel anchor_;                        // ζ
  std::vector<std::uint64_t> version_;  // version of ζ per chain
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

}  // namespace pollen::reference
