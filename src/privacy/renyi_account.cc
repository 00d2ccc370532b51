#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pollen/privacy.h"
#include "search.h"

namespace pollen {

// Let Z be the privacy loss. Then δ(ε) = E max(0, 1 - e^{ε-Z}), and E e^{(α-1)Z} <= e^{(α-1)r}. The largest value of (1
// - e^{ε-z}) e^{-(α-1)z} over z is e^{-(α-1)ε} (1/α) (1 - 1/α)^{α-1}, attained at e^{ε-z} = 1 - 1/α. Hence
//   δ <= e^{(α-1)(r-ε)} (1/α) (1 - 1/α)^{α-1},
// which is solved for ε here. The classic bound r + ln(1/δ)/(α-1) drops the last two factors.
double renyi_epsilon(double order, double renyi, double delta) {
  return std::max(0.0, renyi + std::log1p(-1 / order) - (std::log(delta) + std::log(order)) / (order - 1));
}

RenyiAccount renyi_account(const RenyiCurve& curve, Index steps, double delta) {
  RenyiAccount out;
  out.why = curve.why;
  if (!(delta > 0 && delta < 1)) out.why.push_back(fmt::format("delta is {}, it must be above 0 and below 1", delta));
  if (steps < 0) out.why.push_back(fmt::format("{} steps", steps));
  if (!out.why.empty()) return out;
  if (steps == 0) {  // nothing has been released yet
    out.epsilon = out.delta = 0;
    return out;
  }
  const double releases = static_cast<double>(steps) * static_cast<double>(curve.chains);
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < curve.orders.size(); ++i) {
    const double epsilon = renyi_epsilon(curve.orders[i], releases * curve.step[i], delta);
    if (!(epsilon < best)) continue;
    best = epsilon;
    out.order = curve.orders[i];
  }
  if (std::isfinite(best)) {
    out.epsilon = best;
    out.delta = delta;
  } else {
    out.why.emplace_back("epsilon is infinite or too large to compute: no guarantee");
  }
  return out;
}

Index renyi_steps(const RenyiCurve& curve, double delta, double epsilon, Index limit) {
  return privacy::largest(limit, [&](Index steps) {
    const RenyiAccount account = renyi_account(curve, steps, delta);
    return account.epsilon && *account.epsilon <= epsilon;
  });
}

}  // namespace pollen
