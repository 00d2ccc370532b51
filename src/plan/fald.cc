// FALD (FALD, Theorem 20): clients take Langevin steps and average with probability p_c. VR-FALD* (Theorem 28): FALD
// with a common control variate that is refreshed with probability q_c. docs/plan.md lists the corrections to the
// paper.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "proofs.h"
#include "search.h"

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

namespace {

// A recursion x_{k+1} ≤ M x_k + c in every coordinate, with non-negative M and c. Then x_k is at most the k-th iterate
// of that map, and in the long run at most its fixed point if M's spectral radius is below one. FALD's proofs end in
// such systems; solving them exactly replaces the closed forms of its Lemmas 10 to 12. Everything is computed by
// doubling: the map x → M x + c done twice is x → M² x + (M c + c), and so on. Only sums and products of non-negative
// numbers occur, so that no digits cancel.
struct Recursion {
  explicit Recursion(std::size_t size) : entries(size * size), constant(size), start(size) {}

  double& matrix(std::size_t row, std::size_t column) { return entries[row * constant.size() + column]; }
  double rate() const;                    // the spectral radius
  double limit() const;                   // of coordinate 0; infinite where the rate is not below 1
  double after(double iterations) const;  // coordinate 0

  std::vector<double> entries;  // of M, row after row
  std::vector<double> constant, start;
};

using Numbers = std::vector<double>;

constexpr int kDoublings = 64;  // 2^64 iterations are as good as infinitely many in double precision

// The product of a square matrix, row after row, with a matrix of `columns` columns.
Numbers product(const Numbers& a, const Numbers& b, std::size_t columns) {
  const std::size_t n = b.size() / columns;
  Numbers result(b.size());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 0; j < columns; ++j) result[i * columns + j] += a[i * n + k] * b[k * columns + j];
  return result;
}

Numbers applied(const Recursion& map, const Numbers& x) {
  Numbers result = product(map.entries, x, 1);
  for (std::size_t i = 0; i < x.size(); ++i) result[i] += map.constant[i];
  return result;
}

void do_twice(Recursion& map) {
  map.constant = applied(map, map.constant);
  map.entries = product(map.entries, map.entries, map.constant.size());
}

// Gelfand's formula: the 2^k-th root of the size of M^(2^k), where each power is scaled to size one before it is
// squared.
double Recursion::rate() const {
  Numbers power = entries;
  double log_rate = 0, weight = 1;
  for (int k = 0; k < kDoublings; ++k, weight /= 2) {
    const double size =
        std::accumulate(power.begin(), power.end(), 0.0, [](double sum, double x) { return sum + std::abs(x); });
    if (size == 0) return 0;
    log_rate += weight * std::log(size);
    for (double& x : power) x /= size;
    power = product(power, power, constant.size());
  }
  return std::exp(log_rate);
}

double Recursion::limit() const {
  if (!(rate() < 1)) return kInfinity;
  Recursion map = *this;
  for (int k = 0; k < kDoublings; ++k) do_twice(map);
  return map.constant[0];
}

double Recursion::after(double iterations) const {
  if (!(rate() < 1)) return kInfinity;
  Recursion map = *this;
  Numbers x = start;
  for (double k = std::floor(iterations); k >= 1; k = std::floor(k / 2)) {
    if (std::fmod(k, 2) == 1) x = applied(map, x);
    do_twice(map);
  }
  return x[0];
}

// The discretisation error of one step, (2/γm) E‖E I_k‖² + 3 E‖I_k‖² (FALD, Lemma 7).
double discretisation_error(const FaldConstants& f, double step) {
  const double l = f.l, m = f.m;
  const double rough = 3 * step * step * f.d * l * l / (f.b * m) * (1 + 19 * step * l * l / (36 * m));
  if (f.hessian < 0) return rough;
  const double third = f.d * f.hessian * f.hessian / f.b;
  return std::min(rough, step * step * step * f.d / (f.b * m) * (5 * l * l * l + 4 * third / 3));
}

// The largest step with (1-p)γ²(A + (1+2/p)Ā) ≤ p/4. The proof of FALD's Lemma 10 needs this condition, which is a
// factor √2 below the one it states.
double drift_limit(const FaldConstants& f, double p) {
  return std::sqrt(p / (4 * (1 - p) * 3 * (f.oracle + (1 + 2 / p) * f.l * f.l)));
}

// Fills in the bounds of a theorem whose proof ends in a recursion; at(step) is the recursion at a step.
template <class At>
void set_bounds(const At& at, Guarantee& g) {
  g.rate = [at](double step) { return at(step).rate(); };
  g.limit = [at](double step) { return at(step).limit(); };
  g.after = [at](double step, double k) { return at(step).after(k); };
}

// The recursion's coordinates are E‖X_kγ - X_k‖² (Lemma 19), E V_k (the first step of Lemma 10, and Lemma 16) and E
// d_k² (Lemma 17).
Recursion fald_recursion(const FaldConstants& f, const Constants& c, const Averaging& how, double step) {
  const double m = f.m, l2 = f.l * f.l, p = how.communicate, apart = 1 - p, inverse = (2 + p) / p;
  Recursion r(3);
  r.matrix(0, 0) = 1 - step * m * (1 - 3 * step * f.l) + 3 * step * step * f.oracle;
  r.matrix(0, 1) = step * (2 * l2 / m + 3 * step * (l2 + f.oracle));
  r.constant[0] = discretisation_error(f, step) + 3 * step * step * f.at_pi;
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

// The recursion's coordinates are e_k = E‖X_kγ - X_k‖² (Lemma 27), h_k = E e at the last refresh, E V_k (Lemmas 10 and
// 22), E d_k² (Lemma 23) and E σ_k² (Lemma 24, where the anchor is the mean of the chains).
Recursion vr_fald_recursion(const FaldConstants& f, const Constants& c, const Averaging& how, double step) {
  const double m = f.m, l2 = f.l * f.l, p = how.communicate, q = how.refresh, w = f.spread;
  const double apart = 1 - p, inverse = (2 + p) / p;
  Recursion r(5);
  r.matrix(0, 0) = 1 - step * m + step * step * (3 * m * f.l + 4 * w);
  r.matrix(0, 1) = 4 * step * step * w;
  r.matrix(0, 2) = step * (2 * l2 / m + 3 * step * l2 + 4 * step * w);
  r.constant[0] = discretisation_error(f, step) + 16 * step * step * step * w * f.d / (f.b * q) * (1 + step * f.l / q);
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

Guarantee fald(const Constants& c, const Method& method) {
  const FaldConstants f = fald_constants(c);
  const Averaging how = *method.averaging;
  const double m = f.m, p = how.communicate, l = f.l;
  Guarantee g;
  g.source = "FALD, Theorem 20";
  g.limits = {{"sqrt(p_c/(4(1-p_c)(A+(1+2/p_c)A'))) (gamma_1)", drift_limit(f, p)},
              {"m/(6 L^2_hat) (gamma_1)", m / (6 * f.oracle)},
              {"p_c/(4m) (gamma_2)", p / (4 * m)},
              {"1/(6(L + L^2_hat/m)) (gamma_2)", 1 / (6 * (l + f.oracle / m))},
              {"p_c m/(38 L sqrt((1-p_c)(p_c w + 3L^2))) (gamma_2)",
               p * m / (38 * l * std::sqrt((1 - p) * (p * f.spread + 3 * l * l)))}};
  set_bounds([=](double step) { return fald_recursion(f, c, how, step); }, g);
  return g;
}

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
              {"sqrt(p_c/(4(1-p_c)(A+(1+2/p_c)A'))) (gamma_1)", drift_limit(f, p)},
              {"p_c/(8 sqrt(6 L^2/m^2 max + 12 L^2_hat)) (gamma_1)",
               p / (8 * std::sqrt(6 * l * l / (m * m) * largest + 12 * f.oracle))},
              {"q_c/L (gamma_2)", q / l},
              {"q_c/(2m) (gamma_2)", q / (2 * m)},
              {"1/(6(L + 4w/m)) (gamma_2)", 1 / (6 * (l + 4 * f.spread / m))}};
  set_bounds([=](double step) { return vr_fald_recursion(f, c, how, step); }, g);
  return g;
}

}  // namespace pollen::plan
