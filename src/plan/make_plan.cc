#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pollen/errors.h"
#include "proofs.h"

namespace pollen::plan {

namespace {

// Throws ConfigError if a constant breaks its rule.
struct Checker {
  std::string where;
  void require(bool holds, const char* name, double found, const char* accepted) const {
    if (!holds) throw ConfigError(where, fmt::format("found {} = {}, accepted: {}", name, found, accepted));
  }
};

constexpr const char* kLeast = "a finite number of at least 0";

bool counts(double x) { return x >= 0 && std::isfinite(x); }

void check_clients(const Constants& c) {
  for (std::size_t i = 0; i < c.clients.size(); ++i) {
    const ClientConstants& k = c.clients[i];
    const Checker client{fmt::format("plan: client {}", i + 1)};
    client.require(k.rows >= 1, "rows", k.rows, "at least 1");
    client.require(k.batch >= 1, "batch", k.batch, "at least 1");
    client.require(k.alpha > 0 && k.alpha <= 1, "alpha", k.alpha, "above 0 and at most 1");
    for (const auto& [name, value] : {std::pair("smoothness", k.smoothness), std::pair("convexity", k.convexity),
                                      std::pair("row_smoothness", k.row_smoothness), std::pair("gradient", k.gradient),
                                      std::pair("variance", k.variance), std::pair("omega", k.omega)})
      client.require(counts(value), name, value, kLeast);
  }
}

void check(const Constants& c) {
  const Checker whole{"plan"};
  if (c.clients.empty()) throw ConfigError(whole.where, "found no clients, accepted: one or more");
  whole.require(c.dimension >= 1, "d", c.dimension, "at least 1");
  whole.require(c.temperature > 0, "T", c.temperature, "a number above 0");
  check_clients(c);
  if (!c.unbounded.empty()) return;
  whole.require(c.smoothness > 0, "L", c.smoothness, "a number above 0");
  whole.require(counts(c.convexity) && c.convexity <= c.smoothness * (1 + 1e-9), "m", c.convexity, "from 0 to L");
  whole.require(counts(c.start), "start", c.start, kLeast);
}

void warn(const PlanInput& input, Theorem theorem, std::vector<std::string>& warnings) {
  const Constants& c = input.constants;
  const Method& m = input.method;
  if (theorem == Theorem::fa_ld && m.oracle == OracleKind::minibatch)
    warnings.push_back(
        "FA-LD's theorem requires a bound on the gradient's variance at every position; this plan uses the "
        "variance at the mode instead");
  if (theorem == Theorem::fald && c.clients.size() > 1 && m.averaging->common < 1 && m.averaging->communicate < 1)
    warnings.push_back("correlation below 1: the local drift's term is of first order in the step");
  if (theorem == Theorem::vr_fald && m.averaging->refresh > m.averaging->communicate)
    warnings.push_back("refresh_probability is above communicate: the rate in FALD, Theorem 3 requires q_c <= p_c");
}

Bound bound_at(Theorem theorem, const PlanInput& input, const Guarantee& g, double step) {
  Bound b;
  b.step = step;
  b.iterations = input.iterations;
  b.terms = split(theorem, input, step);
  const double limit = g.limit(step), square = std::max(limit, g.after(step, input.iterations));
  b.terms.insert(b.terms.begin(), Term{"start", square - limit});
  b.w2 = std::sqrt(square);
  b.limit = std::sqrt(limit);
  b.rate = g.rate(step);
  if (g.kl > 0) b.kl = g.kl * square;
  return b;
}

}  // namespace

Plan make_plan(const PlanInput& input) {
  check(input.constants);
  Plan plan;
  plan.constants = input.constants;
  for (const ClientConstants& client : input.constants.clients)
    plan.heterogeneity += client.gradient / static_cast<double>(input.constants.clients.size());
  plan.traffic = traffic(input, input.iterations);
  std::string why;
  plan.theorem = theorem_for(input.method, input.constants, why);
  if (!plan.theorem) {
    plan.warnings.push_back(why);
    return plan;
  }
  const Guarantee g = guarantee(*plan.theorem, input.constants, input.method);
  plan.source = g.source;
  plan.limits = g.limits;
  plan.step = g.step();
  warn(input, *plan.theorem, plan.warnings);
  const double step = input.step.value_or(plan.step);
  if (step > plan.step * (1 + 1e-12))
    plan.warnings.push_back(fmt::format(
        "step {:.4g} is above the admissible step {:.4g}: the theorem says nothing about it", step, plan.step));
  else if (step > 0)
    plan.bound = bound_at(*plan.theorem, input, g, step);
  if (input.precision) {
    plan.reach = reach(g, *input.precision);
    if (plan.reach->reached)
      plan.reach->traffic = traffic(input, plan.reach->iterations);
    else
      plan.warnings.push_back(
          fmt::format("W2 <= {:.4g} is out of the bound's reach: for no step does it go below {:.4g}", *input.precision,
                      plan.reach->floor));
    plan.choice = best_local_steps(*plan.theorem, input);
  }
  return plan;
}

}  // namespace pollen::plan
