// FA-LD, Theorem G.3, for K local steps per round, E rounds and R chains. With D = Δ_l and L = ln(1.25/δ_0):
//   ε_1 = 2 D √( η L / (T (1-ρ²) min p_c) ),  which requires η <= T (1-ρ²) min(γ_c² p_c) / (D² L)
//   ε_K = compose(ε_1, K, δ_1),  ε̃ = amplify(ε_K, chance of being drawn)
//   ε = compose(ε̃, E R, δ_2),  δ = E R δ̃ + δ_2
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assumptions.h"
#include "composition.h"
#include "pollen/privacy.h"
#include "scheme_one.h"

namespace pollen {
namespace {

using namespace privacy;

// Divides one δ among the three places where Theorem G.3 spends some: δ_2 = δ/3, and δ_0 and δ_1 such that their terms
// in E·R·δ̃ are δ/3 each. Values that the inputs set are kept.
struct Split {
  double depth = 0;  // ln(1.25/δ_0), because δ_0 itself may be too small for a double
  double delta_1 = 0, delta_2 = 0;
};

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

// ε of one local step: ε_1 = 2 Δ_l √( η ln(1.25/δ_0) / (T (1-ρ²) min_c p_c) ), where depth = ln(1.25/δ_0).
double step_epsilon(const PrivacyInputs& in, double depth) {
  const double noise = in.temperature * (1 - in.correlation * in.correlation) * in.clients.min_share;
  return 2 * *in.sensitivity * std::sqrt(in.step * depth / noise);
}

// Splits δ where δ̃ = q (K γ δ_0 + δ_1): with q = S/N for scheme II, and with q = 1 if all clients take part or the
// adversary sees who does.
Split split_delta(const PrivacyInputs& in, double releases, double q) {
  const double target = in.delta ? *in.delta * kThird / (releases * q) : 0;
  const double steps_rate = static_cast<double>(in.local_steps) * in.clients.max_rate;
  return {.depth = depth_of(in.delta_0 ? *in.delta_0 : std::min(target / steps_rate, kMost)),
          .delta_1 = in.delta_1 ? *in.delta_1 : std::min(target, kMost),
          .delta_2 = last_delta(in)};
}

// Splits δ for scheme I, whose terms depend on δ_0 and δ_1 through ε_K as well. Let g(x) be the ε_K that a split at x
// leads to; g increases in x. Any x with g(x) <= x will do: the terms were made to fit F_s(x), and they meet the
// smaller F_s(g(x)). Iterating x ← g(x) from 0 climbs to the least such x, where each term is δ/3. If that takes too
// long, bigger steps find another x, at the price of terms below δ/3. Such an x exists, because g finally grows like √x
// only. The caller adds the terms up again.
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

void fill_steps(const PrivacyInputs& in, const Split& split, PrivacyAccount& out) {
  const double sensitivity = *in.sensitivity;
  const double noise = in.temperature * (1 - in.correlation * in.correlation);
  out.log_delta_0 = std::log(1.25) - split.depth;
  out.delta_0 = in.delta_0 ? *in.delta_0 : std::exp(out.log_delta_0);
  out.delta_1 = split.delta_1;
  out.delta_2 = split.delta_2;
  out.step_bound = noise * in.clients.min_rate_squared_share / (sensitivity * sensitivity * split.depth);
  out.epsilon_1 = step_epsilon(in, split.depth);
  out.epsilon_k = compose(out.epsilon_1, static_cast<double>(in.local_steps), split.delta_1);
}

// Accounts for a round in which the changed row's client takes part with probability q (q = 1, or S/N for scheme II).
void fill_round(const PrivacyInputs& in, double releases, double q, PrivacyAccount& out) {
  fill_steps(in, split_delta(in, releases, q), out);
  out.epsilon_round = amplify(out.epsilon_k, q);
  out.delta_round = q * (static_cast<double>(in.local_steps) * in.clients.max_rate * out.delta_0 + out.delta_1);
}

void fill_round_one(const PrivacyInputs& in, double releases, PrivacyAccount& out) {
  const SchemeOne scheme(in.drawn, in.clients.max_share, static_cast<double>(in.local_steps) * in.clients.max_rate);
  const Split split = split_delta(in, releases, scheme);
  fill_steps(in, split, out);
  out.epsilon_round = amplify(out.epsilon_k, scheme.chance());
  out.delta_round = scheme.part_0(out.epsilon_k, split.depth) + scheme.part_1(out.epsilon_k, out.delta_1);
}

void conclude(const PrivacyInputs& in, double releases, PrivacyAccount& out) {
  const double epsilon = compose(out.epsilon_round, releases, out.delta_2);
  const double delta = releases * out.delta_round + out.delta_2;
  if (!(in.step <= out.step_bound))
    out.why.push_back(fmt::format("the step size is {:.4g}, the theorem holds up to {:.4g}", in.step, out.step_bound));
  if (!std::isfinite(epsilon)) out.why.emplace_back("epsilon is infinite or too large to compute: no guarantee");
  if (!(delta < 1))
    out.why.push_back(fmt::format("delta comes to {:.4g}, at 1 or above it is no guarantee", delta));
  else if (in.delta && delta > *in.delta)
    out.why.push_back(fmt::format("delta comes to {:.4g}, above the {:.4g} asked for", delta, *in.delta));
  if (!out.why.empty()) return;
  out.epsilon = epsilon;
  out.delta = delta;
}

}  // namespace

PrivacyAccount theorem_account(const PrivacyInputs& in, Index rounds) {
  PrivacyAccount out;
  out.why = broken_theorem_assumptions(in);
  if (rounds < 0) out.why.push_back(fmt::format("the number of rounds is {}, it must be at least 0", rounds));
  if (!out.why.empty()) return out;
  if (rounds == 0) {  // nothing has been released yet
    out.epsilon = out.delta = 0;
    return out;
  }
  const double releases = static_cast<double>(rounds) * static_cast<double>(in.chains);
  if (!clients_hidden(in))
    fill_round(in, releases, 1, out);
  else if (in.scheme == PrivacyScheme::two)
    fill_round(in, releases, static_cast<double>(in.drawn) / static_cast<double>(in.clients.count), out);
  else
    fill_round_one(in, releases, out);
  conclude(in, releases, out);
  return out;
}

// More rounds leave smaller δ_0 and δ_1, so ε grows and the step-size bound shrinks. Once a number of rounds does not
// fit, no larger number fits.
Index theorem_rounds(const PrivacyInputs& in, double epsilon, Index limit) {
  return largest(limit, [&](Index rounds) {
    const PrivacyAccount account = theorem_account(in, rounds);
    return account.epsilon && *account.epsilon <= epsilon;
  });
}

}  // namespace pollen
