#include "whitening.h"

#include <algorithm>

#include "math/math.h"

namespace pollen {

namespace {

// The function V = U_i - log p(z | β) of z at fixed φ and β.
class LatentEnergy {
 public:
  LatentEnergy(const LocalTarget& target, Scratch& scratch) : target_(target), scratch_(scratch) {}

  double at(std::span<const double> z, std::span<double> slope) const {
    const double value = target_.client.gradient(target_.shared, z, slope, {}, scratch_);
    return value + target_.population.value(target_.beta, z, slope);
  }
  void hessian(std::span<const double> z, PanelView out) const {
    fill(out, 0.0);
    target_.client.add_latent_hessian(target_.shared, z, out, scratch_);
    target_.population.add_precision(target_.beta, out);
  }

 private:
  const LocalTarget& target_;
  Scratch& scratch_;
};

// Newton's method from the population's mean, with halved steps where V would rise. It stops when the rest of the way
// is short beside the latent's standard deviation, because the result only sets a scale.
void find_mode(const LatentEnergy& energy, Scratch& scratch, std::span<double> z) {
  constexpr int kSteps = 10, kHalvings = 8;
  constexpr double kNear = 0.01;
  const Index d = std::ssize(z);
  const PanelView hessian = scratch.panel(d, d), slope = scratch.panel(d, 1), way = scratch.panel(d, 1),
                  pulled = scratch.panel(d, 1);
  const auto next = scratch.take<double>(d), ignored = scratch.take<double>(d), zero = scratch.take<double>(d);
  std::ranges::fill(zero, 0.0);
  for (int n = 0; n < kSteps; ++n) {
    const double value = energy.at(z, slope.column(0));
    energy.hessian(z, hessian);
    const Coordinates metric(zero, hessian, true);
    metric.pull_back(slope, pulled);
    if (!(math::squared_norm(pulled.column(0)) > kNear * kNear)) return;
    metric.turn(pulled, way);
    double length = 1;
    for (int h = 0; h < kHalvings; ++h, length /= 2) {
      std::ranges::copy(z, next.begin());
      math::axpy(-length, way.column(0), next);
      if (energy.at(next, ignored) <= value) break;
    }
    std::ranges::copy(next, z.begin());
  }
}

}  // namespace

Coordinates whitened(const LocalTarget& target, Scratch& scratch) {
  Scratch::Frame frame(scratch);
  const Index d = target.population.latent();
  const LatentEnergy energy(target, scratch);
  const auto mode = scratch.take<double>(d), zero = scratch.take<double>(d);
  std::ranges::fill(zero, 0.0);
  std::ranges::fill(mode, 0.0);
  target.population.draw(target.beta, mode);  // a draw with all normals 0 is the centre
  if (!target.client.quadratic_in_latent()) find_mode(energy, scratch, mode);
  const PanelView hessian = scratch.panel(d, d);
  energy.hessian(mode, hessian);
  return {zero, hessian, true};
}

}  // namespace pollen
