// Rényi accounting: bounds the divergence that one local step can show of one row, and turns the divergence of many
// steps into an ε.
//
// Without its noise, the update of client c is θ - η (1/p_c) (1/γ_c) Σ_{j in batch} g_j with ‖g_j‖ <= clip.
// Substituting one row of the batch moves it by at most η Δ_l / (γ_c p_c), where Δ_l = 2 clip. The client's own noise
// has standard deviation √(2ηT(1-ρ²)/p_c) per coordinate; the common noise counts as known. The ratio of the two is
// (Δ_l/γ_c) √( η / (2 p_c T (1-ρ²)) ).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "assumptions.h"
#include "composition.h"
#include "pollen/privacy.h"

namespace pollen {
namespace {

constexpr double kLog2 = std::numbers::ln2;

// Computes ln(1 + Σ e^x) over the added x without overflow.
class LogSum {
 public:
  void add(double x) {
    if (x <= top_) {
      rest_ += std::exp(x - top_);
    } else {
      rest_ = (1 + rest_) * std::exp(top_ - x);
      top_ = x;
    }
  }
  double value() const { return top_ + std::log1p(rest_); }

 private:
  double top_ = 0, rest_ = 0;
};

// Theorem 9 of Wang, Balle and Kasiviswanathan at a whole order α >= 2, for a mechanism with its own divergences ε(j) =
// j r²/2 and ε(∞) = ∞:
//   (α-1) ε'(α) = ln( 1 + γ² C(α,2) min{4(e^{ε(2)} - 1), 2e^{ε(2)}} + Σ_{j=3}^α γ^j C(α,j) 2e^{(j-1)ε(j)} )
double scaled_bound(Index order, double ratio, double rate) {
  const double square = ratio * ratio;
  const auto alpha = static_cast<double>(order);
  double log_choose = std::log(alpha);
  LogSum sum;
  for (Index i = 2; i <= order; ++i) {
    const auto j = static_cast<double>(i);
    log_choose += std::log((alpha - j + 1) / j);
    double moment = kLog2 + (j - 1) * j * square / 2;
    if (i == 2) moment = std::min(moment, 2 * kLog2 + privacy::log_expm1(square));
    sum.add(j * std::log(rate) + log_choose + moment);
  }
  return sum.value();
}

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

double update_ratio(const PrivacyInputs& in, const PrivacyClient& client) {
  const double noise = 2 * client.share * in.temperature * (1 - in.correlation * in.correlation);
  return *in.sensitivity / client.rate * std::sqrt(in.step / noise);
}

double gaussian_renyi(double order, double ratio) { return order * ratio * ratio / 2; }

// Between whole orders (α-1) ε'(α) is convex, and it is 0 at α = 1, so a chord is an upper bound. A minibatch never
// shows more than all its rows would, because the divergence is quasi-convex; that bound is the better one if the noise
// is small.
double subsampled_renyi(double order, double ratio, double rate) {
  const double whole = gaussian_renyi(order, ratio);
  if (rate >= 1 || ratio == 0) return whole;
  if (!std::isfinite(whole)) return std::numeric_limits<double>::infinity();
  const double below = std::floor(order), part = order - below;
  const auto lower = static_cast<Index>(below);
  double scaled = lower < 2 ? 0 : (1 - part) * scaled_bound(lower, ratio, rate);
  if (part > 0) scaled += part * scaled_bound(lower + 1, ratio, rate);
  return std::min(whole, scaled / (order - 1));
}

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
  if (steps < 0) out.why.push_back(fmt::format("the number of steps is {}, it must be at least 0", steps));
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
