#include "split.h"

#include <algorithm>
#include <cmath>

#include "composition.h"

namespace pollen::privacy {
namespace {

constexpr double kThird = (1 - 1e-10) / 3;  // slightly below a third, so that rounding cannot push the sum above δ
constexpr double kMost = 0.5;  // keeps δ_0 and δ_1 well below 1 in runs so short that they could be larger

double depth_of(double delta_0) { return std::log(1.25 / delta_0); }

double last_delta(const PrivacyInputs& in) { return in.delta_2 ? *in.delta_2 : *in.delta / 3; }

// The split of scheme I if ε_K were x. Both δ decrease in x, because F_s increases in it.
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

// Let g(x) be the ε_K that a split at x leads to; g increases in x. Any x with g(x) <= x will do: the terms were made
// to fit F_s(x), and they meet the smaller F_s(g(x)). Iterating x ← g(x) from 0 climbs to the least such x, where each
// term is δ/3. If that takes too long, bigger steps find another x, at the price of terms below δ/3. Such an x exists,
// because g finally grows like √x only. The caller adds the terms up again.
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
