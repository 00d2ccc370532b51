#include "scheme_one.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "composition.h"

namespace pollen::privacy {
namespace {

double square(Index s) { return static_cast<double>(s) * static_cast<double>(s); }

// ln F_s(x), with F_s(0) = s.
double log_group_factor(double x, Index s) {
  const auto size = static_cast<double>(s);
  return x > 0 ? log_expm1(x) - log_expm1(x / size) : std::log(size);
}

}  // namespace

SchemeOne::SchemeOne(Index drawn, double q, double steps_rate)
    : drawn_(drawn), q_(q), log_scale_(std::log(1.25 * steps_rate)) {
  double log_choose = 0;
  for (Index s = 1; s <= drawn; ++s) {
    const auto left = static_cast<double>(drawn - s);
    log_choose += std::log((left + 1) / static_cast<double>(s));
    const double others = s < drawn ? left * std::log1p(-q) : 0;  // avoids 0 · ∞ at s = S when q = 1
    log_chances_.push_back(log_choose + static_cast<double>(s) * std::log(q) + others);
  }
}

double SchemeOne::chance() const { return q_ >= 1 ? 1 : -std::expm1(static_cast<double>(drawn_) * std::log1p(-q_)); }

double SchemeOne::log_weight(Index s, double epsilon_k) const {
  return log_chances_[static_cast<std::size_t>(s - 1)] + log_group_factor(epsilon_k, s);
}

double SchemeOne::part_0(double epsilon_k, double depth) const {
  double sum = 0;
  for (Index s = 1; s <= drawn_; ++s) sum += std::exp(log_weight(s, epsilon_k) + log_scale_ - depth / square(s));
  return sum;
}

double SchemeOne::part_1(double epsilon_k, double delta_1) const {
  if (delta_1 <= 0) return 0;  // the factor of delta_1 may be infinite
  double sum = 0;
  for (Index s = 1; s <= drawn_; ++s) sum += std::exp(log_weight(s, epsilon_k));
  return sum * delta_1;
}

// ln part_0 decreases in the depth and is convex in it, so Newton's steps from the left never jump over the root. They
// are exact where one s dominates the sum.
double SchemeOne::depth_for(double epsilon_k, double target, double least) const {
  std::vector<double> weights;
  for (Index s = 1; s <= drawn_; ++s) weights.push_back(log_weight(s, epsilon_k) + log_scale_);
  double depth = least;
  for (int i = 0; i < 1000; ++i) {
    double top = -std::numeric_limits<double>::infinity(), sum = 0, slope = 0;
    for (Index s = 1; s <= drawn_; ++s)
      top = std::max(top, weights[static_cast<std::size_t>(s - 1)] - depth / square(s));
    for (Index s = 1; s <= drawn_; ++s) {
      const double term = std::exp(weights[static_cast<std::size_t>(s - 1)] - depth / square(s) - top);
      sum += term;
      slope += term / square(s);
    }
    const double excess = top + std::log(sum) - std::log(target);
    const double move = excess * sum / slope;
    if (!(move > 1e-14 * depth)) return depth;
    depth += move;
  }
  return depth;
}

}  // namespace pollen::privacy
