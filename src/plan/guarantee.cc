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

Guarantee at_temperature_one(Theorem theorem, const Constants& constants, const Method& method) {
  switch (theorem) {
    case Theorem::qlsd:
      return qlsd(constants, method);
    case Theorem::qlsd_star:
      return qlsd_star(constants, method);
    case Theorem::qlsd_pp:
      return qlsd_pp(constants, method);
    case Theorem::d_elf:
      return d_elf(constants, method);
    case Theorem::p_elf:
      return p_elf(constants, method);
    case Theorem::b_elf:
      return b_elf(constants, method);
    case Theorem::fald:
      return fald(constants, method);
    case Theorem::vr_fald:
      return vr_fald(constants, method);
    case Theorem::fa_ld:
      return fa_ld(constants, method);
  }
  return {};
}

}  // namespace

Guarantee guarantee(Theorem theorem, const Constants& constants, const Method& method) {
  const double t = constants.temperature;
  Guarantee found = at_temperature_one(theorem, tempered(constants), method);
  std::erase_if(found.limits, [](const StepLimit& limit) { return !std::isfinite(limit.value); });
  if (t == 1) return found;
  for (StepLimit& limit : found.limits) limit.value /= t;
  const Guarantee one = found;
  found.rate = [one, t](double step) { return one.rate(step * t); };
  found.limit = [one, t](double step) { return one.limit(step * t); };
  found.after = [one, t](double step, double iterations) { return one.after(step * t, iterations); };
  return found;
}

}  // namespace pollen::plan
