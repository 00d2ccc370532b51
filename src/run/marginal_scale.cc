#include "marginal_scale.h"

#include <algorithm>
#include <cmath>

#include "math/math.h"
#include "model/coordinates.h"

namespace pollen {

namespace {

// U as a function of λ after β was integrated out. With H_ββ = S e^(-2λ) + P at the joint mode (β̂, λ̂) and p = ∇_β U_0
// there, which the data's gradient cancels,
//   M(λ) = ½ e^(-2λ) RSS + Nλ + U_0(λ) - ½ gᵀ H(λ)⁻¹ g + ½ log det H(λ),   g = p (1 - e^(2(λ̂-λ))).
class Marginal {
 public:
  Marginal(const Prior& prior, const std::vector<double>& mode, const Panel& hessian, double slope)
      : size_(static_cast<Index>(mode.size()) - 1), at_(mode.back()), data_(size_, size_), prior_(size_, size_) {
    std::vector<double> unit(mode.size()), column(mode.size());
    for (std::size_t j = 0; j < mode.size(); ++j) {
      unit[j] = 1;
      std::ranges::fill(column, 0.0);
      prior.add_curvature(unit, 1.0, column);
      unit[j] = 0;
      if (j + 1 == mode.size()) {
        prior_bend_ = column[j];
        continue;
      }
      for (std::size_t i = 0; i + 1 < mode.size(); ++i) {
        prior_.column(static_cast<Index>(j))[i] = column[i];
        data_.column(static_cast<Index>(j))[i] = hessian.column(static_cast<Index>(j))[i] - column[i];
      }
    }
    slope_.assign(mode.size(), 0.0);
    prior.add_gradient(mode, 1.0, slope_);
    // ∂²U/∂λ² = 2 e^(-2λ) RSS + U_0'' and ∂U/∂λ = N - e^(-2λ) RSS + U_0', which is 0 at the joint mode.
    misfit_ = 0.5 * (hessian.column(size_)[static_cast<std::size_t>(size_)] - prior_bend_);
    rows_ = slope + misfit_ - slope_.back();
  }

  bool usable() const { return misfit_ > 0 && rows_ > 0; }

  Panel bend(double lambda) const {
    const double share = math::exp(2 * (at_ - lambda));
    Panel h(size_, size_);
    for (Index j = 0; j < size_; ++j)
      for (std::size_t i = 0; i < static_cast<std::size_t>(size_); ++i)
        h.column(j)[i] = share * data_.column(j)[i] + prior_.column(j)[i];
    return h;
  }

  // Returns M(λ), and H⁻¹g, by which β̂ moves.
  double value(double lambda, std::vector<double>& move) const {
    const double share = math::exp(2 * (at_ - lambda)), away = lambda - at_;
    const Coordinates half(std::vector<double>(static_cast<std::size_t>(size_)), bend(lambda), true);
    Panel g(size_, 1), pulled(size_, 1), moved(size_, 1);
    for (std::size_t j = 0; j + 1 < slope_.size(); ++j) g.column(0)[j] = slope_[j] * (1 - share);
    half.pull_back(g, pulled);
    half.turn(pulled, moved);
    move.assign(moved.column(0).begin(), moved.column(0).end());
    const double prior = slope_.back() * away + 0.5 * prior_bend_ * away * away;
    return 0.5 * share * misfit_ + rows_ * away + prior - 0.5 * math::squared_norm(pulled.column(0)) -
           half.log_determinant();
  }

 private:
  Index size_;
  double at_;
  Panel data_, prior_;
  std::vector<double> slope_;
  double prior_bend_ = 0, misfit_ = 0, rows_ = 0;
};

}  // namespace

void use_marginal_scale(const Prior& prior, std::vector<double>& mode, Panel& hessian, double slope) {
  const auto last = static_cast<Index>(mode.size()) - 1;
  if (last < 1 || last > kMostWithScale) return;
  const Marginal marginal(prior, mode, hessian, slope);
  if (!marginal.usable()) return;
  // Golden section search. The marginal mode is above the joint one, by about ½ log(N/(N-p)).
  constexpr double kGolden = 0.6180339887498949, kWithin = 1e-6;
  double low = mode.back() - (slope == 0 ? 0.5 : 12), high = mode.back() + 4;
  std::vector<double> move;
  double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
  double at_a = marginal.value(a, move), at_b = marginal.value(b, move);
  while (high - low > kWithin) {
    if (at_a < at_b) {
      high = b, b = a, at_b = at_a;
      at_a = marginal.value(a = high - kGolden * (high - low), move);
    } else {
      low = a, a = b, at_a = at_b;
      at_b = marginal.value(b = low + kGolden * (high - low), move);
    }
  }
  const double lambda = 0.5 * (low + high), width = 1e-2;
  const double middle = marginal.value(lambda, move);
  std::vector<double> ignored;
  const double bend = (marginal.value(lambda - width, ignored) - 2 * middle + marginal.value(lambda + width, ignored)) /
                      (width * width);
  if (!(bend > 0) || !std::isfinite(bend)) return;
  for (std::size_t j = 0; j + 1 < mode.size(); ++j) mode[j] -= move[j];
  mode.back() = lambda;
  const Panel coefficients = marginal.bend(lambda);
  hessian = Panel(last + 1, last + 1);
  for (Index j = 0; j < last; ++j) std::ranges::copy(coefficients.column(j), hessian.column(j).begin());
  hessian.column(last)[static_cast<std::size_t>(last)] = bend;
}

}  // namespace pollen
