// Searches the bounds for the step that reaches a precision in the fewest iterations, and for the best p_c or K when a
// round costs a given number of gradients. FALD's section 9 (scenario A is an infinite price, B a price of zero) and
// FA-LD's section 5.3.1 answer these questions with orders of magnitude.
#include <algorithm>
#include <cmath>

#include "pollen/plan.h"
#include "search.h"

namespace pollen::plan {

namespace {

constexpr double kMost = 1e18;  // a plan with more iterations is of no use

// Returns the fewest iterations after which the bound is below `square`, rounded up by at most one part in ten
// thousand.
double iterations_to(const Guarantee& g, double step, double square) {
  double low = 0, high = 1;
  while (!(g.after(step, high) <= square)) {
    low = high;
    high *= 2;
    if (high > kMost) return kInfinity;
  }
  while (high - low > std::max(1.0, 1e-4 * high)) {
    const double middle = std::floor((low + high) / 2);
    (g.after(step, middle) <= square ? high : low) = middle;
  }
  return high;
}

}  // namespace

Reach reach(const Guarantee& g, double precision) {
  Reach r;
  r.precision = precision;
  const double square = precision * precision, top = g.step(), tiny = top * 1e-15;
  if (!(top > 0) || !std::isfinite(top)) return r;
  if (!(g.limit(tiny) < square)) {
    const double best = lowest(tiny, top, 60, g.limit);
    r.floor = std::sqrt(g.limit(best));
    if (!(g.limit(best) < square)) return r;
  }
  const double high = largest(tiny, top, [&](double step) { return g.limit(step) < square; });
  const auto count = [&](double step) { return iterations_to(g, step, square); };
  r.step = lowest(high * 1e-3, high, 8, count);
  r.iterations = count(r.step);
  r.reached = std::isfinite(r.iterations);
  if (r.reached) r.floor = 0;
  return r;
}

namespace {

struct Costs {
  Theorem theorem;
  const PlanInput& input;
  double price;

  Reach reach_with(double value) const {
    PlanInput at = input;
    Averaging& how = *at.method.averaging;
    if (how.random) {
      how.communicate = value;
      how.refresh = std::min(how.refresh, value);  // FALD's Theorem 3 needs q_c ≤ p_c
    } else {
      how.steps = value;
    }
    Reach r = reach(guarantee(theorem, at.constants, at.method), *input.precision);
    if (r.reached) r.traffic = traffic(at, r.iterations);
    return r;
  }
  double of(const Reach& r) const { return r.reached ? r.traffic.gradients + price * r.traffic.rounds : kInfinity; }
  double operator()(double value) const { return of(reach_with(value)); }
};

double best_steps(const Costs& costs) {
  const double around = lowest(1, 4096, 12, [&](double k) { return costs(std::round(k)); });
  double best = 1, least = costs(1);
  for (double k = std::max(1.0, std::round(around) - 3); k <= std::round(around) + 3; ++k)
    if (const double cost = costs(k); cost < least) best = k, least = cost;
  return best;
}

}  // namespace

std::optional<Choice> best_local_steps(Theorem theorem, const PlanInput& input) {
  if (!input.method.averaging || !input.precision || !input.round_price) return std::nullopt;
  const Costs costs{theorem, input, *input.round_price};
  const Averaging& how = *input.method.averaging;
  Choice choice;
  choice.name = how.random ? "communicate" : "local_steps";
  choice.price = *input.round_price;
  choice.value = how.random ? lowest(1e-4, 1, 16, costs) : best_steps(costs);
  choice.reach = costs.reach_with(choice.value);
  choice.cost = costs.of(choice.reach);
  choice.cost_now = costs(how.random ? how.communicate : how.steps);
  return choice;
}

}  // namespace pollen::plan
