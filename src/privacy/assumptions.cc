#include "assumptions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pollen::privacy {
namespace {

using Why = std::vector<std::string>;

bool positive(double x) { return x > 0 && std::isfinite(x); }

void check_noise(const PrivacyInputs& in, Why& why) {
  if (!in.sensitivity)
    why.emplace_back("no clipping: the gradient of one observation is not bounded, so the noise gives no guarantee");
  else if (!positive(*in.sensitivity))
    why.push_back(fmt::format("the sensitivity is {}, it must be a positive number", *in.sensitivity));
  if (in.correlation == 1)
    why.emplace_back("correlation 1: all noise is common to the clients and known, so epsilon is infinite");
  else if (!(in.correlation >= 0 && in.correlation < 1))
    why.push_back(fmt::format("the correlation is {}, it must be at least 0 and below 1", in.correlation));
  if (!positive(in.step)) why.push_back(fmt::format("the step size is {}, it must be a positive number", in.step));
  if (!positive(in.temperature))
    why.push_back(fmt::format("the temperature is {}: without noise nothing is hidden", in.temperature));
}

void check_counts(const PrivacyInputs& in, Why& why) {
  const PrivacyClients& clients = in.clients;
  const auto fraction = [](double x) { return x > 0 && x <= 1; };
  const auto proper = [&](const PrivacyClient& c) { return fraction(c.share) && fraction(c.rate); };
  if (clients.count < 1 || clients.distinct.empty() || !(clients.min_rate_squared_share > 0) ||
      !proper({clients.min_share, clients.max_rate}) || !fraction(clients.max_share) ||
      !std::all_of(clients.distinct.begin(), clients.distinct.end(), proper))
    why.push_back(fmt::format(
        "{} clients have shares of the rows from {} to {} and minibatch rates up to {}, and the least rate² · "
        "share is {}: there must be a client, and all of these must be above 0 and at most 1",
        clients.count, clients.min_share, clients.max_share, clients.max_rate, clients.min_rate_squared_share));
  if (in.local_steps < 1 || in.chains < 1)
    why.push_back(fmt::format("{} local steps and {} chains: both must be at least 1", in.local_steps, in.chains));
  if (in.scheme == PrivacyScheme::full) return;
  if (in.drawn < 1 || (in.scheme == PrivacyScheme::two && in.drawn > clients.count))
    why.push_back(fmt::format("the number of clients drawn per round is {}, it must be at least 1{}", in.drawn,
                              in.scheme == PrivacyScheme::two ? fmt::format(" and at most {}", clients.count) : ""));
}

void check_deltas(const PrivacyInputs& in, Why& why) {
  if (!in.delta && !(in.delta_0 && in.delta_1 && in.delta_2))
    why.emplace_back("no delta is given, nor all of delta_0, delta_1 and delta_2");
  const auto check = [&](const char* name, const std::optional<double>& value, bool zero) {
    if (!value || (*value > 0 && *value < 1) || (zero && *value == 0)) return;
    why.push_back(fmt::format("{} is {}, it must be {} 0 and below 1", name, *value, zero ? "at least" : "above"));
  };
  check("delta", in.delta, false);
  check("delta_0", in.delta_0, false);
  check("delta_1", in.delta_1, true);
  check("delta_2", in.delta_2, true);
}

}  // namespace

bool clients_hidden(const PrivacyInputs& in) {
  return in.adversary == Adversary::outside && in.scheme != PrivacyScheme::full;
}

std::vector<std::string> broken_assumptions(const PrivacyInputs& in) {
  Why why;
  check_noise(in, why);
  check_counts(in, why);
  return why;
}

std::vector<std::string> broken_theorem_assumptions(const PrivacyInputs& in) {
  Why why = broken_assumptions(in);
  check_deltas(in, why);
  if (in.random_gaps)
    why.emplace_back("averaging at random times: the theorem covers a fixed number of local steps only");
  // Composition needs every release to draw its clients afresh. Chains that share one draw make R releases with a
  // single draw.
  if (in.coupled && in.chains > 1 && clients_hidden(in))
    why.emplace_back("the chains share who takes part, so client sampling does not protect each of them separately");
  return why;
}

}  // namespace pollen::privacy
