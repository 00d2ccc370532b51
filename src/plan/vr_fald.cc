// VR-FALD* (FALD, Theorem 28): FALD with a common control variate that is refreshed with probability q_c. docs/plan.md
// lists the corrections to the paper.
#include <algorithm>
#include <cmath>

#include "fald.h"
#include "proofs.h"
#include "recursion.h"

namespace pollen::plan {

namespace {

// The recursion's coordinates are e_k = E‖X_kγ - X_k‖² (Lemma 27), h_k = E e at the last refresh, E V_k (Lemmas 10 and
// 22), E d_k² (Lemma 23) and E σ_k² (Lemma 24, where the anchor is the mean of the chains).
Recursion vr_fald_recursion(const FaldConstants& f, const Constants& c, const Averaging& how, double step) {
  const double m = f.m, l2 = f.l * f.l, p = how.communicate, q = how.refresh, w = f.spread;
  const double apart = 1 - p, inverse = (2 + p) / p;
  Recursion r(5);
  r.matrix(0, 0) = 1 - step * m + step * step * (3 * m * f.l + 4 * w);
  r.matrix(0, 1) = 4 * step * step * w;
  r.matrix(0, 2) = step * (2 * l2 / m + 3 * step * l2 + 4 * step * w);
  r.constant[0] = fald_discretisation(f, step) + 16 * step * step * step * w * f.d / (f.b * q) * (1 + step * f.l / q);
  r.matrix(1, 0) = q;
  r.matrix(1, 1) = 1 - q;
  r.matrix(2, 2) = apart > 0 ? 1 - p / 4 : 0;
  r.matrix(2, 3) = apart * step * step * 3 * (w + inverse * l2);
  r.matrix(2, 4) = apart * step * step * 3 * ((w > 0 ? 1 : 0) + inverse);
  r.constant[2] = apart * step * 2 * (1 - how.common) * (1 - 1 / f.b) * f.d;
  r.matrix(3, 2) = 2 * step * l2 / m;
  r.matrix(3, 3) = 1 - step * m / 2;
  r.matrix(3, 4) = 4 * step * step;
  r.constant[3] = 10 * step * step * f.at_mode + 2 * step * f.d / f.b;
  r.matrix(4, 3) = q * f.oracle;
  r.matrix(4, 4) = 1 - q;
  const double from_pi = start_square(c);
  r.start = {from_pi, from_pi, 0, c.start, f.oracle * c.start};
  return r;
}

}  // namespace

Guarantee vr_fald(const Constants& c, const Method& method) {
  const FaldConstants f = fald_constants(c);
  const Averaging how = *method.averaging;
  const double m = f.m, l = f.l, p = how.communicate, q = how.refresh;
  const double largest = std::max(3 * l * l + p * f.spread, 8 * (p + 3) * f.oracle);
  Guarantee g;
  g.source = "FALD, Theorem 28 (VR-FALD*)";
  g.limits = {{"m/(128 L^2_hat) (gamma_1)", m / (128 * f.oracle)},
              {"(p_c+3)m/(32 max) (gamma_1)", (p + 3) * m / (32 * largest)},
              {"q_c/m (gamma_1)", q / m},
              {"p_c/(2m) (gamma_1)", p / (2 * m)},
              {"sqrt(p_c/(4(1-p_c)(A+(1+2/p_c)A'))) (gamma_1)", fald_drift_limit(f, p)},
              {"p_c/(8 sqrt(6 L^2/m^2 max + 12 L^2_hat)) (gamma_1)",
               p / (8 * std::sqrt(6 * l * l / (m * m) * largest + 12 * f.oracle))},
              {"q_c/L (gamma_2)", q / l},
              {"q_c/(2m) (gamma_2)", q / (2 * m)},
              {"1/(6(L + 4w/m)) (gamma_2)", 1 / (6 * (l + 4 * f.spread / m))}};
  g.rate = [=](double step) { return vr_fald_recursion(f, c, how, step).rate(); };
  g.limit = [=](double step) { return vr_fald_recursion(f, c, how, step).limit(); };
  g.after = [=](double step, double k) { return vr_fald_recursion(f, c, how, step).after(k); };
  return g;
}

}  // namespace pollen::plan
