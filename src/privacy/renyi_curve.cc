#include <algorithm>
#include <cmath>

#include "assumptions.h"
#include "pollen/privacy.h"

namespace pollen {
namespace {

// Small orders give the best ε where ε is large, and large orders where it is small. The list has every whole order up
// to 64, where neighbours differ much, and then orders that grow by a tenth.
std::vector<double> all_orders() {
  std::vector<double> orders{1.05, 1.1, 1.2, 1.35, 1.5, 1.75};
  double next = 2;
  for (; next <= 64; ++next) orders.push_back(next);
  for (; next <= 2048; next = std::ceil(1.1 * next)) orders.push_back(next);
  return orders;
}

}  // namespace

// Nobody knows beforehand which client owns the row, so each order takes the client that shows most at that order.
RenyiCurve renyi_curve(const PrivacyInputs& in) {
  RenyiCurve curve{.orders = {}, .step = {}, .chains = in.chains, .why = privacy::broken_assumptions(in)};
  if (!curve.why.empty()) return curve;
  curve.orders = all_orders();
  curve.step.assign(curve.orders.size(), 0);
  for (const PrivacyClient& client : in.clients.distinct) {
    const double ratio = update_ratio(in, client);
    for (std::size_t i = 0; i < curve.orders.size(); ++i)
      curve.step[i] = std::max(curve.step[i], subsampled_renyi(curve.orders[i], ratio, client.rate));
  }
  return curve;
}

}  // namespace pollen
