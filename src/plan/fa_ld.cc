// FA-LD (FA-LD, Theorems 5.7, 5.9 and 5.10): K local steps, then an average of all clients or of S of them. The bound
// uses the one-step inequality of Lemma B.5 before its terms are merged into 400 η² d L² H ((K-1)²+κ), with the
// constants of a fixed step. A sampler with equal weights is FA-LD on clients of equal size, but its step is FALD's γ =
// bη.
#include <algorithm>
#include <cmath>

#include "proofs.h"

namespace pollen::plan {

namespace {

// The paper's constants for the functions f^c = U_c/p_c, where p_c = N_c/N.
struct FaLdConstants {
  double b = 0, d = 0, m = 0, l = 0, k = 1;
  double variance = 0;  // σ²d
  double spread = 0;    // dH: start + d max T_c/m + γ²/m² + σ²d/m²
  double common = 0;    // d(ρ² + b(1-ρ²))
  double sampled = 0;   // C_S/S
};

// Bounds Σ p_c E‖θ^c_k - θ_k‖² after `steps` local steps. This is Lemma B.3 (28 and 4 are its constants for a fixed
// step), and Lemma C.2 for K steps.
double divergence(const FaLdConstants& f, double step, double steps) {
  return 28 * steps * steps * step * step * f.l * f.l * f.spread + 4 * steps * step * f.common;
}

FaLdConstants fa_ld_constants(const Constants& c, const Method& method) {
  const Averaging& how = *method.averaging;
  FaLdConstants f;
  f.b = static_cast<double>(c.clients.size());
  f.d = c.dimension;
  f.k = std::max(1.0, how.steps);
  double rows = 0, hottest = 0, gradient = 0;
  for (const ClientConstants& client : c.clients) rows += client.rows;
  f.m = c.clients.front().convexity * rows / c.clients.front().rows;
  for (const ClientConstants& client : c.clients) {
    const double share = client.rows / rows;
    f.m = std::min(f.m, client.convexity / share);
    f.l = std::max(f.l, client.smoothness / share);
    f.variance = std::max(f.variance, client.variance / (share * share));
    gradient = std::max(gradient, client.gradient / (share * share));
    hottest = std::max(hottest, how.common + (1 - how.common) / share);
  }
  f.spread = c.start + f.d * hottest / f.m + (gradient + f.variance) / (f.m * f.m);
  f.common = f.d * (how.common + f.b * (1 - how.common));
  const Participation& who = method.participation;
  const auto s = static_cast<double>(who.size);
  if (who.policy == ParticipationPolicy::fixed_size)
    f.sampled = who.replacement ? 1 / s : f.b > 1 ? std::max(0.0, f.b - s) / ((f.b - 1) * s) : 0;
  return f;
}

}  // namespace

Guarantee fa_ld(const Constants& c, const Method& method) {
  const FaLdConstants f = fa_ld_constants(c, method);
  const double m = f.m, l = f.l;
  Guarantee g;
  g.source = f.sampled > 0 ? "FA-LD, Theorem 5.10 (partial device)" : "FA-LD, Theorem 5.9";
  g.limits = {{"1/(2L) (5.9)", 1 / (2 * l)}};
  g.rate = [m](double step) { return 1 - step * m / 2; };
  g.limit = [=](double step) {
    const double drift = 6 * step * l * divergence(f, step, f.k - 1);
    const double discrete = 2 / (step * m) * step * step * step * l * l * f.d * (2 * step * l * l / m + 16);
    const double every = drift + discrete + step * step * f.variance;
    const double at_average = f.sampled * divergence(f, step, f.k) / -std::expm1(f.k * std::log1p(-step * m / 2));
    return 2 / (step * m) * every + at_average;
  };
  g.after = [=, limit = g.limit, from_pi = start_square(c)](double step, double k) {
    return std::pow(1 - step * m / 2, k) * from_pi + limit(step);
  };
  if (!method.averaging->by_size) {
    convert_steps(1 / f.b, g);
    g.limits[0].rule = "b/(2L) (5.9)";
  }
  return g;
}

}  // namespace pollen::plan
