// D-ELF and P-ELF (ELF, Theorem 4.3): error feedback up or down with full gradients. The bound is in KL, under a
// log-Sobolev inequality. ELF's F_i is b U_i. The constant s of Young's inequality is chosen as in EF21, 1+s =
// (1-α)^-½, so that 1-p = (1-α)^½ and (1-p)β = (1-p)²/p L̄. docs/plan.md lists the corrections to the paper.
#include <algorithm>
#include <cmath>
#include <limits>

#include "proofs.h"

namespace pollen::plan {

double elf_mean_square_smoothness(const Constants& c) {
  double sum = 0;
  for (const ClientConstants& client : c.clients) sum += client.smoothness * client.smoothness;
  return static_cast<double>(c.clients.size()) * sum;
}

double elf_first_move(const Constants& c, double step) {
  return step * step * c.smoothness * c.smoothness * c.start + 2 * step * c.dimension;
}

// Bounds KL(x_1 | π) for x_1 = x_0 - γ∇U(x_0) + √(2γ)Z and any x_0. The entropy of x_1 is at least that of the noise, E
// U(x_1) - U* is at most L/2 (E‖x_0-θ*‖² + 2γd), and ∫exp(U* - U) is at most (2π/m)^{d/2}. The law after the first step
// is used because a start at a point has infinite divergence.
double elf_first_divergence(const Constants& c, double step) {
  const double d = c.dimension;
  return c.smoothness / 2 * (c.start + 2 * step * d) - d / 2 * (1 + std::log(2 * step * c.convexity));
}

namespace {

Guarantee theorem_4_3(const Constants& c, double alpha) {
  const double mu = c.convexity, l = c.smoothness, mean = elf_mean_square_smoothness(c);
  const double r = std::sqrt(1 - alpha), p = 1 - r, beta = r / p * mean;
  Guarantee g;
  g.limits = {{"sqrt(p/(L^2 + beta))/14 (4.3)", std::sqrt(p / (l * l + beta)) / 14},
              {"p/(6 mu) (4.3)", p / (6 * mu)},
              {"1/(2 sqrt(2) L) (4.3)", 1 / (2 * std::sqrt(2.0) * l)}};
  const auto weight = [=](double step) {  // C of ELF's (20)
    return (8 * l * l * step * step + 2) / (std::exp(-mu * step) - r * (4 * step * step * beta + 1));
  };
  const auto tau = [=](double step) {
    return (2 * l * l + weight(step) * r * beta) * c.dimension * (16 * l * step * step + 4 * step);
  };
  g.kl = mu / 2;
  g.rate = [mu](double step) { return std::exp(-mu * step); };
  g.limit = [=, kl = g.kl](double step) { return tau(step) / mu / kl; };
  g.after = [=, kl = g.kl](double step, double k) {
    if (k < 1) return std::numeric_limits<double>::infinity();
    const double memory = weight(step) * (1 - alpha) * mean * elf_first_move(c, step);
    const double first = elf_first_divergence(c, step) + (1 - std::exp(-mu * step)) / mu * memory;
    return (std::exp(-mu * step * (k - 1)) * first + tau(step) / mu) / kl;
  };
  return g;
}

}  // namespace

Guarantee d_elf(const Constants& c, const Method&) {
  double alpha = 1;
  for (const ClientConstants& client : c.clients) alpha = std::min(alpha, client.alpha);
  Guarantee g = theorem_4_3(c, alpha);
  g.source = "ELF, Theorem 4.3 (D-ELF)";
  return g;
}

Guarantee p_elf(const Constants& c, const Method& method) {
  Guarantee g = theorem_4_3(c, method.down_alpha);
  g.source = "ELF, Theorem 4.3 (P-ELF)";
  return g;
}

}  // namespace pollen::plan
