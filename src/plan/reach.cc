// Finds the step that reaches a precision in the fewest iterations. FALD's section 9 poses this problem; here it is
// solved numerically for every bound.
#include <algorithm>
#include <cmath>
#include <limits>

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

}  // namespace pollen::plan
