#include <algorithm>
#include <cmath>
#include <limits>

#include "proofs.h"

namespace pollen::plan {

double batch_factor(double rows, double batch) {
  return batch >= rows ? 0 : rows * (rows - batch) / (batch * (rows - 1));
}

double minibatch_variance(double rows, double batch, double sum_of_squares, double square_of_sum) {
  return std::max(0.0, batch_factor(rows, batch) * (sum_of_squares - square_of_sum / rows));
}

double start_square(const Constants& c) {
  const double distance = std::sqrt(c.start) + std::sqrt(c.dimension / c.convexity);
  return distance * distance;
}

double Guarantee::step() const {
  double smallest = std::numeric_limits<double>::infinity();
  for (const StepLimit& one : limits) smallest = std::min(smallest, one.value);
  return smallest;
}

namespace {

struct Row {
  Theorem theorem;
  const char* name;
  Proof* prove;
};

constexpr Row kTheorems[] = {
    {Theorem::qlsd, "qlsd", qlsd},    {Theorem::qlsd_star, "qlsd*", qlsd_star}, {Theorem::qlsd_pp, "qlsd++", qlsd_pp},
    {Theorem::d_elf, "d-elf", d_elf}, {Theorem::p_elf, "p-elf", p_elf},         {Theorem::b_elf, "b-elf", b_elf},
    {Theorem::fald, "fald", fald},    {Theorem::vr_fald, "vr-fald*", vr_fald},  {Theorem::fa_ld, "fa-ld", fa_ld},
};

const Row& row_of(Theorem theorem) { return *std::ranges::find(kTheorems, theorem, &Row::theorem); }

// Returns the same problem at temperature 1, with U/T in place of U. A step γ for U at T is a step γT for U/T.
Constants tempered(const Constants& constants) {
  Constants c = constants;
  const double t = c.temperature;
  c.temperature = 1;
  c.convexity /= t;
  c.smoothness /= t;
  if (c.hessian_lipschitz) *c.hessian_lipschitz /= t;
  for (ClientConstants& client : c.clients) {
    client.smoothness /= t;
    client.convexity /= t;
    client.row_smoothness /= t;
    client.gradient /= t * t;
    client.variance /= t * t;
  }
  return c;
}

}  // namespace

const char* name_of(Theorem theorem) { return row_of(theorem).name; }

void convert_steps(double unit, Guarantee& g) {
  for (StepLimit& limit : g.limits) limit.value /= unit;
  const Guarantee one = g;
  g.rate = [one, unit](double step) { return one.rate(step * unit); };
  g.limit = [one, unit](double step) { return one.limit(step * unit); };
  g.after = [one, unit](double step, double iterations) { return one.after(step * unit, iterations); };
}

Guarantee guarantee(Theorem theorem, const Constants& constants, const Method& method) {
  Guarantee found = row_of(theorem).prove(tempered(constants), method);
  std::erase_if(found.limits, [](const StepLimit& limit) { return !std::isfinite(limit.value); });
  if (constants.temperature != 1) convert_steps(constants.temperature, found);
  return found;
}

}  // namespace pollen::plan
