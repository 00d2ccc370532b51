#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "pollen/plan.h"

namespace pollen::plan {

namespace {

using Out = std::back_insert_iterator<std::string>;

void write_problem(const Plan& plan, Out out) {
  const Constants& c = plan.constants;
  fmt::format_to(out, "{:<16} {}\n", "theorem", plan.theorem ? plan.source : "none");
  fmt::format_to(out, "{:<16} d = {}, {} clients, T = {:.4g}\n", "problem", c.dimension, c.clients.size(),
                 c.temperature);
  if (!c.unbounded.empty()) {
    fmt::format_to(out, "{:<16} none, {} has no bounds on its curvature\n", "constants", c.unbounded);
    return;
  }
  fmt::format_to(out, "{:<16} m = {:.4g}, L = {:.4g}, L/m = {:.4g}, |start - mode| = {:.4g}\n", "constants",
                 c.convexity, c.smoothness, c.smoothness / c.convexity, std::sqrt(c.start));
  fmt::format_to(out, "{:<16} {:.4g} (mean of |grad U_i|^2 at the mode)\n", "heterogeneity", plan.heterogeneity);
}

void write_step(const Plan& plan, Out out) {
  fmt::format_to(out, "{:<16} {:.4g}, the smallest of\n", "admissible step", plan.step);
  for (const StepLimit& limit : plan.limits) fmt::format_to(out, "  {:<12.4g} {}\n", limit.value, limit.rule);
}

void write_bound(const Bound& b, Out out) {
  fmt::format_to(out, "{:<16} W2 <= {:.4g} after {:.6g} iterations at step {:.4g}; {:.4g} in the limit\n", "bound",
                 b.w2, b.iterations, b.step, b.limit);
  if (b.kl) fmt::format_to(out, "{:<16} KL <= {:.4g}\n", "", *b.kl);
  for (const Term& term : b.terms)
    fmt::format_to(out, "  {:<16} {:<11.4g} {:5.1f}%\n", term.name, std::sqrt(term.square),
                   b.w2 > 0 ? 100 * term.square / (b.w2 * b.w2) : 0);
}

void write_traffic(const Traffic& t, Out out) {
  fmt::format_to(out, "{:<16} rounds {:.4g}, gradients per client {:.4g}, bits up {:.4g}, bits down {:.4g}\n", "",
                 t.rounds, t.gradients, t.up_bits, t.down_bits);
}

void write_reach(const Reach& r, Out out) {
  fmt::format_to(out, "{:<16} W2 <= {:.4g}: ", "precision", r.precision);
  if (!r.reached) {
    fmt::format_to(out, "not reached for any step\n");
    return;
  }
  fmt::format_to(out, "step {:.4g}, iterations {:.4g}\n", r.step, r.iterations);
  write_traffic(r.traffic, out);
}

void write_choice(const Choice& c, Out out) {
  fmt::format_to(out, "{:<16} {} = {:.4g} where a round costs {:.4g} gradients: cost {:.4g} (now {:.4g})\n",
                 "local steps", c.name, c.value, c.price, c.cost, c.cost_now);
  if (c.reach.reached)
    fmt::format_to(out, "{:<16} step {:.4g}, iterations {:.4g}\n", "", c.reach.step, c.reach.iterations);
}

}  // namespace

std::string to_text(const Plan& plan) {
  std::string text;
  const Out out = std::back_inserter(text);
  write_problem(plan, out);
  if (plan.theorem) write_step(plan, out);
  if (plan.bound) write_bound(*plan.bound, out);
  write_traffic(plan.traffic, out);
  if (plan.reach) write_reach(*plan.reach, out);
  if (plan.choice) write_choice(*plan.choice, out);
  for (const std::string& warning : plan.warnings) fmt::format_to(out, "warning: {}\n", warning);
  return text;
}

}  // namespace pollen::plan
