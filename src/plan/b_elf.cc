// B-ELF (ELF, Theorem 4.5): error feedback up and down with full gradients. The bound is in KL, under a log-Sobolev
// inequality.
#include <algorithm>
#include <cmath>
#include <limits>

#include "proofs.h"

namespace pollen::plan {

namespace {

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

Guarantee b_elf(const Constants& c, const Method& method) {
  double up = 1;
  for (const ClientConstants& client : c.clients) up = std::min(up, client.alpha);
  const double down = method.down_alpha, mu = c.convexity, l = c.smoothness;
  const double mean = elf_mean_square_smoothness(c);
  const Lambdas lambda = lambdas(up, down, mean);
  Guarantee g;
  g.source = "ELF, Theorem 4.5 (B-ELF)";
  // The third limit is that of Lemma B.7 before λ_2 is bounded; with the bound on λ_2 it would be α_D α_P/(495
  // √((1-α_D/2)(1-α_P/2) L̄)).
  g.limits = {{"alpha_D/(4 mu) (4.5)", up / (4 * mu)},
              {"alpha_P/(4 mu) (4.5)", down / (4 * mu)},
              {"sqrt(alpha_D alpha_P/(2040 lambda_2)) (B.7)", std::sqrt(up * down / (2040 * lambda.two))},
              {"1/(sqrt(192) L) (B.7)", 1 / (std::sqrt(192.0) * l)}};
  const auto weights = [=](double step) {  // C and D of ELF's (27)
    const double shrink = std::exp(-mu * step), first = 2.125 / (shrink - lambda.one);
    return std::pair(first, first * lambda.three / (shrink - (1 - down / 2)));
  };
  const auto tau = [=](double step) {
    const auto [first, second] = weights(step);
    return (2 * l * l + first * lambda.two + second * lambda.down) * c.dimension * (16 * l * step * step + 4 * step);
  };
  g.kl = mu / 2;
  g.rate = [mu](double step) { return std::exp(-mu * step); };
  g.limit = [=, kl = g.kl](double step) { return tau(step) / mu / kl; };
  g.after = [=, kl = g.kl](double step, double k) {
    if (k < 1) return std::numeric_limits<double>::infinity();
    const auto [first, second] = weights(step);
    // Both memories are exact at the start. After the first step they lag behind by that step.
    const double memory = (first * lambda.two + second * (1 - down) * mean) * elf_first_move(c, step);
    const double begin = elf_first_divergence(c, step) + (1 - std::exp(-mu * step)) / mu * memory;
    return (std::exp(-mu * step * (k - 1)) * begin + tau(step) / mu) / kl;
  };
  return g;
}

}  // namespace pollen::plan
