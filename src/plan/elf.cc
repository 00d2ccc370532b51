// D-ELF and P-ELF (ELF, Theorem 4.3) and B-ELF (Theorem 4.5): error feedback up, down or both, with full gradients. The
// bounds are in KL. The paper's rate is under a log-Sobolev inequality with constant μ; the bound on the start here
// needs strong convexity, so μ is m. ELF's F_i is b U_i. docs/plan.md lists the corrections to the paper.
#include <algorithm>
#include <cmath>
#include <limits>

#include "proofs.h"

namespace pollen::plan {

namespace {

double mean_square_smoothness(const Constants& c) {  // L̄ = b Σ L_i²
  double sum = 0;
  for (const ClientConstants& client : c.clients) sum += client.smoothness * client.smoothness;
  return static_cast<double>(c.clients.size()) * sum;
}

double least_alpha(const Constants& c) {
  double alpha = 1;
  for (const ClientConstants& client : c.clients) alpha = std::min(alpha, client.alpha);
  return alpha;
}

// Bounds E‖x_1-x_0‖² (ELF, Lemma B.4, for a start at a point).
double first_move(const Constants& c, double step) {
  return step * step * c.smoothness * c.smoothness * c.start + 2 * step * c.dimension;
}

// Bounds KL(x_1 | π) for x_1 = x_0 - γ∇U(x_0) + √(2γ)Z and any x_0, if U is m-strongly convex. The entropy of x_1 is at
// least that of the noise, E U(x_1) - U* is at most L/2 (E‖x_0-θ*‖² + 2γd), and ∫exp(U* - U) is at most (2π/m)^{d/2}.
// The law after the first step is used because a start at a point has infinite divergence.
double first_divergence(const Constants& c, double step) {
  const double d = c.dimension;
  return c.smoothness / 2 * (c.start + 2 * step * d) - d / 2 * (1 + std::log(2 * step * c.convexity));
}

// Returns a guarantee in KL, still without its source and limits. memory(step) is what the memories, which are exact at
// the start, lag behind after the first step; tau(step) is what every iteration adds.
template <class Lag, class Tau>
Guarantee guarantee_in_kl(const Constants& c, const Lag& memory, const Tau& tau) {
  const double mu = c.convexity, kl = mu / 2;
  Guarantee g;
  g.kl = kl;
  g.rate = [mu](double step) { return std::exp(-mu * step); };
  g.limit = [=](double step) { return tau(step) / mu / kl; };
  g.after = [=](double step, double k) {
    if (k < 1) return std::numeric_limits<double>::infinity();
    const double begin = first_divergence(c, step) + (1 - std::exp(-mu * step)) / mu * memory(step);
    return (std::exp(-mu * step * (k - 1)) * begin + tau(step) / mu) / kl;
  };
  return g;
}

// The constant s of Young's inequality is chosen as in EF21, 1+s = (1-α)^-½, so that 1-p = (1-α)^½ and (1-p)β =
// (1-p)²/p L̄.
Guarantee theorem_4_3(const Constants& c, double alpha, const char* source) {
  const double mu = c.convexity, l = c.smoothness, mean = mean_square_smoothness(c);
  const double r = std::sqrt(1 - alpha), p = 1 - r, beta = r / p * mean;
  const auto weight = [=](double step) {  // C of ELF's (20)
    return (8 * l * l * step * step + 2) / (std::exp(-mu * step) - r * (4 * step * step * beta + 1));
  };
  const auto memory = [=](double step) { return weight(step) * (1 - alpha) * mean * first_move(c, step); };
  Guarantee g = guarantee_in_kl(c, memory, [=](double step) {
    return (2 * l * l + weight(step) * r * beta) * c.dimension * (16 * l * step * step + 4 * step);
  });
  g.source = source;
  g.limits = {{"sqrt(p/(L^2 + beta))/14 (4.3)", std::sqrt(p / (l * l + beta)) / 14},
              {"p/(6 mu) (4.3)", p / (6 * mu)},
              {"1/(2 sqrt(2) L) (4.3)", 1 / (2 * std::sqrt(2.0) * l)}};
  return g;
}

// λ_1 to λ_3 of ELF's (8) with u = 1, q = s and w from (28), written so that α = 1 needs no special case.
struct Lambdas {
  double one, two, three;
  double down;  // (1-α_P)(1+1/w) L̄
};

Lambdas lambdas(double up, double down, double mean) {
  const double inverse_q = std::sqrt(1 - up) / (std::sqrt(1 - up / 2) - std::sqrt(1 - up));
  const double cross = (1 - up / 2) * inverse_q;  // (1-α_D)(1+q)(1+1/q)
  const double from_down = 2 * cross + 1 + inverse_q;
  const double stale = (1 - down) * (1 + 2 * (1 - down) / down) * mean;
  return {1 - up / 2, 2 * cross * mean + from_down * stale, from_down * (1 - down / 2), stale};
}

}  // namespace

Guarantee d_elf(const Constants& c, const Method&) {
  return theorem_4_3(c, least_alpha(c), "ELF, Theorem 4.3 (D-ELF)");
}

Guarantee p_elf(const Constants& c, const Method& method) {
  return theorem_4_3(c, method.down_alpha, "ELF, Theorem 4.3 (P-ELF)");
}

Guarantee b_elf(const Constants& c, const Method& method) {
  const double up = least_alpha(c), down = method.down_alpha, mu = c.convexity, l = c.smoothness;
  const double mean = mean_square_smoothness(c);
  const Lambdas lambda = lambdas(up, down, mean);
  const auto weights = [=](double step) {  // C and D of ELF's (27)
    const double shrink = std::exp(-mu * step), first = 2.125 / (shrink - lambda.one);
    return std::pair(first, first * lambda.three / (shrink - (1 - down / 2)));
  };
  const auto memory = [=](double step) {
    const auto [first, second] = weights(step);
    return (first * lambda.two + second * (1 - down) * mean) * first_move(c, step);
  };
  Guarantee g = guarantee_in_kl(c, memory, [=](double step) {
    const auto [first, second] = weights(step);
    return (2 * l * l + first * lambda.two + second * lambda.down) * c.dimension * (16 * l * step * step + 4 * step);
  });
  g.source = "ELF, Theorem 4.5 (B-ELF)";
  // The third limit is that of Lemma B.7 before λ_2 is bounded; with the bound on λ_2 it would be α_D α_P/(495
  // √((1-α_D/2)(1-α_P/2) L̄)).
  g.limits = {{"alpha_D/(4 mu) (4.5)", up / (4 * mu)},
              {"alpha_P/(4 mu) (4.5)", down / (4 * mu)},
              {"sqrt(alpha_D alpha_P/(2040 lambda_2)) (B.7)", std::sqrt(up * down / (2040 * lambda.two))},
              {"1/(sqrt(192) L) (B.7)", 1 / (std::sqrt(192.0) * l)}};
  return g;
}

}  // namespace pollen::plan
