// QLSD, QLSD# and QLSD* (QLSD, Theorems S4, S5 and S6): full, minibatch or fixed-point gradients with unbiased
// compression and partial participation. lsd, sgld and lsd* are the case ω = 0.
#include <algorithm>
#include <cmath>

#include "proofs.h"

namespace pollen::plan {

namespace {

// Assumption HS5 on the gradient noise, E‖g - ∇U(θ)‖² ≤ slope <θ-θ*, ∇U(θ)> + level; the paper calls the two constants
// M̃ and B̃*.
struct Noise {
  double slope = 0;
  double level = 0;
};

// Theorem S4, with B̃ taken at the step itself (the proof's D_γ) instead of at the largest step.
Guarantee theorem_s4(const Constants& c, const Noise& noise) {
  const double m = c.convexity, l = c.smoothness, d = c.dimension;
  Guarantee g;
  g.limits = {{"2/(5(m+L)) (S18)", 2 / (5 * (m + l))},
              {"1/(m+L+M~) (S18)", 1 / (m + l + noise.slope)},
              {"1/(10m) (S18)", 1 / (10 * m)}};
  g.rate = [m](double step) { return 1 - step * m / 2; };
  g.limit = [=](double step) {
    const double inside = 1 + step * l * l / (2 * m) + step * step * l * l / 12;
    const double discrete = 2 * d * l * l / m * (1 / m + 5 * step) * inside;
    const double moving = 2 * l * noise.slope * (2 * d + step * noise.level) / (m * m);
    return step * (discrete + 2 * noise.level / m + moving);
  };
  const double from_pi = start_square(c), from_mode = c.start;
  g.after = [=, limit = g.limit](double step, double k) {
    const double shrink = std::pow(1 - step * m / 2, k);
    const double moved = step * step * l * noise.slope * k * shrink / (1 - step * m / 2);
    return shrink * from_pi + moved * from_mode + limit(step);
  };
  return g;
}

}  // namespace

// Theorem S5. It uses Lemma S1 with Var(H_i(θ)-H_i(θ*)) ≤ A_i M̄_i <...> in place of the paper's bound by M_i, so that
// this variance vanishes for full gradients: M̃ = 2 max{v_i M_i + A_i M̄_i} with v = (ω+1-p)/p and M_i = L_i + A_i
// M̄_i.
Guarantee qlsd(const Constants& c, const Method& method) {
  const std::vector<Presence> present = presences(method.participation, c);
  Noise noise;
  for (std::size_t i = 0; i < c.clients.size(); ++i) {
    const ClientConstants& client = c.clients[i];
    const double p = present[i].weight, v = (client.omega + 1 - p) / p;
    const double spread = batch_factor(client) * client.row_smoothness;
    noise.slope = std::max(noise.slope, 2 * (v * (client.smoothness + spread) + spread));
    noise.level += 2 * (client.variance + v * (client.gradient + client.variance));
  }
  Guarantee g = theorem_s4(c, noise);
  g.source = "QLSD, Theorem S5";
  return g;
}

// Theorem S6. It uses Lemma S5 with L_i in place of N_i M̄ where L_i is smaller: M̃ = max{ω L_i + (ω+1) A_i M̄_i +
// (1-p)/p (ω+1) E_i} with E_i = L_i + A_i M̄_i, and B̃* = 0 at the exact mode.
Guarantee qlsd_star(const Constants& c, const Method& method) {
  const std::vector<Presence> present = presences(method.participation, c);
  Noise noise;
  for (std::size_t i = 0; i < c.clients.size(); ++i) {
    const ClientConstants& client = c.clients[i];
    const double p = present[i].weight, w = client.omega;
    const double spread = batch_factor(client) * client.row_smoothness;
    const double absent = (1 - p) / p * (w + 1) * (client.smoothness + spread);
    noise.slope = std::max(noise.slope, w * client.smoothness + (w + 1) * spread + absent);
  }
  Guarantee g = theorem_s4(c, noise);
  g.source = "QLSD, Theorem S6 (QLSD*)";
  return g;
}

}  // namespace pollen::plan
