// Bounds the Rényi divergence that one local step can show of one row.
//
// Without its noise, the update of client c is θ - η (1/p_c) (1/γ_c) Σ_{j in batch} g_j with ‖g_j‖ <= clip.
// Substituting one row of the batch moves it by at most η Δ_l / (γ_c p_c), where Δ_l = 2 clip. The client's own noise
// has standard deviation √(2ηT(1-ρ²)/p_c) per coordinate; the common noise counts as known. The ratio of the two is
// (Δ_l/γ_c) √( η / (2 p_c T (1-ρ²)) ).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

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

}  // namespace pollen
