// FALD (FALD, Theorem 20): clients take Langevin steps and average with probability p_c. docs/plan.md lists the
// corrections to the paper.
#include "fald.h"

#include <algorithm>
#include <cmath>

#include "proofs.h"
#include "recursion.h"

namespace pollen::plan {

FaldConstants fald_constants(const Constants& c) {
  FaldConstants f;
  f.b = static_cast<double>(c.clients.size());
  f.d = c.dimension;
  f.m = c.convexity / f.b;
  if (c.hessian_lipschitz) f.hessian = *c.hessian_lipschitz;
  for (const ClientConstants& client : c.clients) {
    const double spread = batch_factor(client) * client.row_smoothness * client.smoothness;
    f.l = std::max(f.l, client.smoothness);
    f.spread = std::max(f.spread, spread);
    f.oracle = std::max(f.oracle, client.smoothness * client.smoothness + spread);
    f.mean_spread += spread / (f.b * f.b);
    f.at_mode += client.variance / (f.b * f.b);
    f.apart += client.gradient / f.b;
  }
  f.at_pi = 2 * f.at_mode + 2 * f.mean_spread * c.dimension / c.convexity;
  return f;
}

double fald_discretisation(const FaldConstants& f, double step) {
  const double l = f.l, m = f.m;
  const double rough = 3 * step * step * f.d * l * l / (f.b * m) * (1 + 19 * step * l * l / (36 * m));
  if (f.hessian < 0) return rough;
  const double third = f.d * f.hessian * f.hessian / f.b;
  return std::min(rough, step * step * step * f.d / (f.b * m) * (5 * l * l * l + 4 * third / 3));
}

double fald_drift_limit(const FaldConstants& f, double p) {
  return std::sqrt(p / (4 * (1 - p) * 3 * (f.oracle + (1 + 2 / p) * f.l * f.l)));
}

namespace {

// The recursion's coordinates are E‖X_kγ - X_k‖² (Lemma 19), E V_k (the first step of Lemma 10, and Lemma 16) and E
// d_k² (Lemma 17).
Recursion fald_recursion(const FaldConstants& f, const Constants& c, const Averaging& how, double step) {
  const double m = f.m, l2 = f.l * f.l, p = how.communicate, apart = 1 - p, inverse = (2 + p) / p;
  Recursion r(3);
  r.matrix(0, 0) = 1 - step * m * (1 - 3 * step * f.l) + 3 * step * step * f.oracle;
  r.matrix(0, 1) = step * (2 * l2 / m + 3 * step * (l2 + f.oracle));
  r.constant[0] = fald_discretisation(f, step) + 3 * step * step * f.at_pi;
  r.matrix(1, 1) = apart > 0 ? 1 - p / 4 : 0;
  r.matrix(1, 2) = apart * step * step * 3 * (f.spread + inverse * l2);
  r.constant[1] =
      apart * step * (step * 3 * (f.b * f.at_mode + inverse * f.apart) + 2 * (1 - how.common) * (1 - 1 / f.b) * f.d);
  r.matrix(2, 1) = 2 * step * l2 / m;
  r.matrix(2, 2) = 1 - step * m / 2;
  r.constant[2] = 3 * step * step * f.at_mode + 2 * step * f.d / f.b;
  r.start = {start_square(c), 0, c.start};
  return r;
}

}  // namespace

Guarantee fald(const Constants& c, const Method& method) {
  const FaldConstants f = fald_constants(c);
  const Averaging how = *method.averaging;
  const double m = f.m, p = how.communicate, l = f.l;
  Guarantee g;
  g.source = "FALD, Theorem 20";
  g.limits = {{"sqrt(p_c/(4(1-p_c)(A+(1+2/p_c)A'))) (gamma_1)", fald_drift_limit(f, p)},
              {"m/(6 L^2_hat) (gamma_1)", m / (6 * f.oracle)},
              {"p_c/(4m) (gamma_2)", p / (4 * m)},
              {"1/(6(L + L^2_hat/m)) (gamma_2)", 1 / (6 * (l + f.oracle / m))},
              {"p_c m/(38 L sqrt((1-p_c)(p_c w + 3L^2))) (gamma_2)",
               p * m / (38 * l * std::sqrt((1 - p) * (p * f.spread + 3 * l * l)))}};
  g.rate = [=](double step) { return fald_recursion(f, c, how, step).rate(); };
  g.limit = [=](double step) { return fald_recursion(f, c, how, step).limit(); };
  g.after = [=](double step, double k) { return fald_recursion(f, c, how, step).after(k); };
  return g;
}

}  // namespace pollen::plan
