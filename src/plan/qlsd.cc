// QLSD, QLSD# and QLSD* (QLSD, Theorems S4, S5 and S6): full, minibatch or fixed-point gradients with unbiased
// compression and partial participation. lsd, sgld and lsd* are the case ω = 0. QLSD++ (Theorem S9 with S48 to S67):
// svrg gradients that are refreshed every l rounds, and a memory with rate α. docs/plan.md lists the corrections to the
// paper.
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

// The part of the limit that is due to the discretisation, divided by the step.
double discretisation(const Constants& c, double step) {
  const double m = c.convexity, l = c.smoothness;
  const double inside = 1 + step * l * l / (2 * m) + step * step * l * l / 12;
  return 2 * c.dimension * l * l / m * (1 / m + 5 * step) * inside;
}

// Theorem S4, with B̃ taken at the step itself (the proof's D_γ) instead of at the largest step.
Guarantee theorem_s4(const Constants& c, const Noise& noise, const char* source) {
  const double m = c.convexity, l = c.smoothness, d = c.dimension;
  Guarantee g;
  g.source = source;
  g.limits = {{"2/(5(m+L)) (S18)", 2 / (5 * (m + l))},
              {"1/(m+L+M~) (S18)", 1 / (m + l + noise.slope)},
              {"1/(10m) (S18)", 1 / (10 * m)}};
  g.rate = [m](double step) { return 1 - step * m / 2; };
  g.limit = [=](double step) {
    const double moving = 2 * l * noise.slope * (2 * d + step * noise.level) / (m * m);
    return step * (discretisation(c, step) + 2 * noise.level / m + moving);
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
  return theorem_s4(c, noise, "QLSD, Theorem S5");
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
  return theorem_s4(c, noise, "QLSD, Theorem S6 (QLSD*)");
}

namespace {

// The sums of QLSD's S48 to S60, with v_i = (ω_i+1-p_i)/p_i, u_i = (ω_i+1)/p_i and s_i = A_i M̄_i.
struct Sums {
  double v_max = 0, u_max = 0;
  double forget = 1;    // α min_i P(i present), the rate of the slowest memory
  double b = 0, c = 0;  // B (S48) without L², C (S51)
  double spread = 0;    // Σ s_i M_i
  double noise = 0;     // D (S60), where the memories are summed client by client
  double memory = 0;    // the part of D due to the memories, 4 Σ v_i C_i
  double missed = 0;    // Σ‖∇U_i(θ*) - η^i_0‖²
};

Sums sums_of(const Constants& c, const Method& method) {
  const std::vector<Presence> present = presences(method.participation, c);
  Sums s;
  for (std::size_t i = 0; i < c.clients.size(); ++i) {
    const ClientConstants& client = c.clients[i];
    const double p = present[i].weight, u = (client.omega + 1) / p, v = u - 1, m = client.smoothness;
    const double spread = batch_factor(client) * client.row_smoothness * m;
    s.v_max = std::max(s.v_max, v);
    s.u_max = std::max(s.u_max, u);
    s.forget = std::min(s.forget, method.memory_rate * present[i].present);
    s.b += 2 * (m * m * v + u * spread);
    s.c += 2 * (spread + m * m);
    s.spread += spread;
    s.memory += 8 * v * (spread + m * m);
    s.noise += 2 * (m * m * v + u * spread) + 2 * u * spread;
    s.missed += method.memory_at_gradient ? m * m * c.start : client.gradient;
  }
  s.noise += s.memory;
  return s;
}

// The convolution Σ_{j<k} ρ^{k-1-j} ρ^⌊j/l⌋, for which Theorem S9 writes ρ^⌊k/l⌋/(1-ρ).
double slow_sum(double rho, double k, double l) {
  const double s = std::floor(k / l), r = k - s * l;
  const double block = (1 - std::pow(rho, l)) / (1 - rho);
  const double blocks = l > 1 ? (1 - std::pow(rho, (l - 1) * s)) / (1 - std::pow(rho, l - 1)) : s;
  return block * blocks * std::pow(rho, r + s - 1) + std::pow(rho, s) * (1 - std::pow(rho, r)) / (1 - rho);
}

}  // namespace

Guarantee qlsd_pp(const Constants& c, const Method& method) {
  const Sums s = sums_of(c, method);
  const double m = c.convexity, l = c.smoothness, every = std::max(1.0, method.refresh);
  Guarantee g;
  g.source = "QLSD, Theorem S9 (QLSD++)";
  g.limits = {{"m/(B + 3 max v C) (S58)", m / (s.b + l * l + 3 * s.v_max * s.c)},
              {"m/(16 l max u sum A M_i) (S59)", m / (16 * every * s.u_max * s.spread)},
              {"1/(10m) (S66)", 1 / (10 * m)},
              {"2/(5(m+L)) (proof of S9)", 2 / (5 * (m + l))}};
  // If nothing is compressed and no client is absent, the memories cancel and their rate does not matter.
  if (s.v_max > 0) g.limits.push_back({"alpha min p/(3m) (S58)", s.forget / (3 * m)});
  g.rate = [=](double step) { return std::pow(1 - step * m / 2, 1 / every); };
  g.limit = [=](double step) { return step * (discretisation(c, step) + 8 * every * c.dimension * s.noise / (m * m)); };
  g.after = [=, limit = g.limit, from_pi = start_square(c)](double step, double k) {
    const double rho = 1 - step * m / 2;
    double sum = std::pow(rho, k) * from_pi + limit(step);
    // The Lyapunov function ψ at the start (S57), and the transient of S64, which needs α'/(α' - γm/2) ≤ 6/5.
    const double weight = s.v_max > 0 ? 3 * s.v_max * step * step / s.forget : 0;
    const double psi = c.start + weight * s.missed;
    sum += step * step * slow_sum(rho, k, every) * (s.noise + s.memory / 5) * psi;
    if (s.v_max > 0) {
      const double fast = 1 - s.forget;
      const double both = (std::pow(rho, k) - std::pow(fast, k)) / (rho - fast);
      sum += 2 * step * step * s.v_max * s.missed * both;
    }
    return sum;
  };
  return g;
}

}  // namespace pollen::plan
