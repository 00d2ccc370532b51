#include "split.h"

#include <algorithm>
#include <cmath>

#include "composition.h"

namespace pollen::privacy {
namespace {

constexpr double kThird = (1 - 1e-10) / 3;  // a hair less than a third: rounding must not push the sum over δ
constexpr double kMost = 0.5;  // δ_0 and δ_1 stay well below 1 where the run is so short that they need not

double depth_of(double delta_0) { return std::log(1.25 / delta_0); }

double last_delta(const PrivacyInputs& in) { return in.delta_2 ? *in.delta_2 : *in.delta / 3; }

// Scheme I's split were ε_K = x: both δ fall in x, because F_s grows in it.
Split split_at(const PrivacyInputs& in, double releases, const SchemeOne& scheme, double x) {
  const double target = in.delta ? *in.delta * kThird / releases : 0;
  return {.depth = in.delta_0 ? depth_of(*in.delta_0) : scheme.depth_for(x, target, depth_of(kMost)),
          .delta_1 = in.delta_1 ? *in.delta_1 : std::min(target / scheme.part_1(x, 1), kMost),
          .delta_2 = last_delta(in)};
}

}  // namespace

double step_epsilon(const PrivacyInputs& in, double depth) {
  const double noise = in.temperature * (1 - in.correlation * in.correlation) * in.clients.min_share;
  return 2 * *in.sensitivity * std::sqrt(in.step * depth / noise);
}

Split split_delta(const PrivacyInputs& in, double releases, double q) {
  const double target = in.delta ? *in.delta * kThird / (releases * q) : 0;
  const double steps_rate = static_cast<double>(in.local_steps) * in.clients.max_rate;
  return {.depth = depth_of(in.delta_0 ? *in.delta_0 : std::min(target / steps_rate, kMost)),
          .delta_1 = in.delta_1 ? *in.delta_1 : std::min(target, kMost),
          .delta_2 = last_delta(in)};
}

// The ε_K that a split at x leads to, g(x), grows in x. Any x with g(x) <= x is good: the terms were made to fit F_s(x)
// and meet F_s(g(x)). x ← g(x) climbs from 0 to the least such x, where the terms are δ/3; if it crawls, bigger steps
// find another, at the price of terms below δ/3. g grows like √x at last, so there is one. The caller adds the terms up
// again.
Split split_delta(const PrivacyInputs& in, double releases, const SchemeOne& scheme) {
  const auto steps = static_cast<double>(in.local_steps);
  double x = 0;
  Split split = split_at(in, releases, scheme, x);
  for (int i = 0; i < 1000 && std::isfinite(x); ++i) {
    const double reached = compose(step_epsilon(in, split.depth), steps, split.delta_1);
    if (reached <= x) break;
    x = reached * (i < 200 ? 1 + 1e-11 : 1.02);
    split = split_at(in, releases, scheme, x);
  }
  return split;
}

}  // namespace pollen::privacy
