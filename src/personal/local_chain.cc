#include "local_chain.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "math/math.h"
#include "whitening.h"

namespace pollen {

namespace {

// A step for this curvature: the law of Langevin steps is then within a few hundredths of the target's, and the other
// kernels are near their best acceptance rates.
double fitting_step(LocalKernel kernel, double curvature) {
  if (kernel == LocalKernel::hmc) return 0.7 / std::sqrt(curvature);
  return (kernel == LocalKernel::langevin ? 0.1 : 0.5) / curvature;
}

// The same where the curvature is 1 in all directions. Langevin steps have no bias for a normal target there, so they
// may be long. A trajectory of a quarter of a period leaves a normal target's position without correlation.
double whitened_step(const PersonalSettings& settings) {
  if (settings.kernel == LocalKernel::langevin) return 0.3;
  if (settings.kernel == LocalKernel::mala) return 0.5;
  return std::min(0.7, 1.5 / static_cast<double>(settings.leapfrogs));
}

PanelView latent_column(std::span<double> z) { return {z.data(), std::ssize(z), 1, std::ssize(z)}; }

}  // namespace

LocalChain::LocalChain(const PersonalSettings& settings, const LocalTarget& target, const LocalStreams& streams,
                       Scratch& scratch)
    : settings_(settings), step_(settings.step), target_(target), streams_(streams), scratch_(scratch) {
  choose_step();
  state_ = make_state();
  if (settings.kernel != LocalKernel::langevin) proposal_ = make_state();
  noise_ = scratch.take<double>(target.population.latent());
}

LocalState LocalChain::make_state() const {
  const Index d = target_.population.latent();
  return {scratch_.take<double>(d), scratch_.take<double>(d), scratch_.take<double>(target_.client.shared()), 0};
}

// Chooses the coordinates and the step in them, unless a step was given.
void LocalChain::choose_step() {
  if (step_ > 0) return;
  if (!target_.client.has_hessian()) {
    step_ = fitting_step(settings_.kernel, target_.client.latent_curvature(target_.shared, scratch_) +
                                               target_.population.curvature(target_.beta));
    return;
  }
  step_ = whitened_step(settings_);
  whitening_ = whitened(target_, scratch_);
  z_ = scratch_.take<double>(target_.population.latent());
  by_z_ = scratch_.take<double>(target_.population.latent());
}

std::span<const double> LocalChain::position() {
  if (!whitening_) return state_.z;
  whitening_->to_theta(latent_column(state_.z), latent_column(z_));
  return z_;
}

void LocalChain::evaluate(LocalState& state, bool by_shared) const {
  if (whitening_) whitening_->to_theta(latent_column(state.z), latent_column(z_));
  const auto z = whitening_ ? z_ : state.z, slope = whitening_ ? by_z_ : state.gradient;
  state.value =
      target_.client.gradient(target_.shared, z, slope, by_shared ? state.by_shared : std::span<double>{}, scratch_);
  state.value += target_.population.value(target_.beta, z, slope);
  if (whitening_) whitening_->pull_back(latent_column(slope), latent_column(state.gradient));
}

void LocalChain::start(std::span<const double> z) {
  if (whitening_)
    whitening_->to_psi(z, state_.z);
  else
    std::ranges::copy(z, state_.z.begin());
  evaluate(state_, settings_.kernel != LocalKernel::langevin);
}

std::span<const double> LocalChain::normals_of(Index m) {
  const Index each = (static_cast<Index>(noise_.size()) + 1) / 2 * 2;
  normals(streams_.noise, noise_, static_cast<std::uint64_t>(m * each));
  return noise_;
}

void LocalChain::step(Index m) {
  switch (settings_.kernel) {
    case LocalKernel::langevin:
      return langevin(m);
    case LocalKernel::mala:
      return mala(m);
    case LocalKernel::hmc:
      return hmc(m);
  }
}

void LocalChain::langevin(Index m) {
  const double noise = whitening_ ? std::sqrt(step_ * (2 - step_)) : std::sqrt(2 * step_);
  math::langevin_step(state_.z, state_.gradient, normals_of(m), step_, noise);
  evaluate(state_, true);
  ++accepted_;
}

void LocalChain::mala(Index m) {
  const double step = step_;
  const auto noise = normals_of(m);
  std::ranges::copy(state_.z, proposal_.z.begin());
  math::langevin_step(proposal_.z, state_.gradient, noise, step, std::sqrt(2 * step));
  evaluate(proposal_, true);
  // log q(z' → z) - log q(z → z') = ‖ξ‖²/2 - ‖z - z' + γ∇V(z')‖²/4γ
  double back = 0;
  for (std::size_t j = 0; j < noise.size(); ++j) {
    const double miss = state_.z[j] - proposal_.z[j] + step * proposal_.gradient[j];
    back += miss * miss;
  }
  decide(state_.value - proposal_.value + 0.5 * math::squared_norm(noise) - back / (4 * step), m);
}

void LocalChain::hmc(Index m) {
  const double step = step_;
  const auto momentum = noise_;
  normals_of(m);
  const double before = state_.value + 0.5 * math::squared_norm(momentum);
  std::ranges::copy(state_.z, proposal_.z.begin());
  std::ranges::copy(state_.gradient, proposal_.gradient.begin());
  for (Index l = 0; l < settings_.leapfrogs; ++l) {
    math::axpy(-0.5 * step, proposal_.gradient, momentum);
    math::axpy(step, momentum, proposal_.z);
    evaluate(proposal_, l + 1 == settings_.leapfrogs);
    math::axpy(-0.5 * step, proposal_.gradient, momentum);
  }
  decide(before - proposal_.value - 0.5 * math::squared_norm(momentum), m);
}

void LocalChain::decide(double log_ratio, Index m) {
  std::uint32_t words[4];
  random_words(streams_.coins, words, static_cast<std::uint64_t>(4 * m));
  const double u = (static_cast<double>(words[0]) + 0.5) * 0x1p-32;
  if (!(math::log(u) < log_ratio)) return;  // written so that a NaN is rejected
  std::swap(state_, proposal_);
  ++accepted_;
}

}  // namespace pollen
