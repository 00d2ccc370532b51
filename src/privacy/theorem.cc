// FA-LD, Theorem G.3, for K local steps per round, E rounds and R chains. With D = Δ_l and L = ln(1.25/δ_0):
//   ε_1 = 2 D √( η L / (T (1-ρ²) min p_c) ),  which requires η <= T (1-ρ²) min(γ_c² p_c) / (D² L)
//   ε_K = compose(ε_1, K, δ_1),  ε̃ = amplify(ε_K, chance of being drawn)
//   ε = compose(ε̃, E R, δ_2),  δ = E R δ̃ + δ_2
#include <fmt/format.h>

#include <cmath>

#include "assumptions.h"
#include "composition.h"
#include "pollen/privacy.h"
#include "scheme_one.h"
#include "search.h"
#include "split.h"

namespace pollen {
namespace {

using namespace privacy;

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
  if (rounds < 0) out.why.push_back(fmt::format("{} rounds", rounds));
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
