#include "marginal_scale.h"

#include <algorithm>
#include <cmath>

#include "math/math.h"
#include "model/coordinates.h"

namespace pollen {

namespace {

constexpr Index kMost = 400;  // coefficients for which about a hundred Cholesky factors cost little

// U as a function of λ after β was integrated out. With the Hessian S e^(-2λ) + P of β and the gradient g(λ) of β at
// β_0,
//   M(λ) = ½ e^(-2λ) RSS(β_0) + Nλ + U_0(λ) - ½ gᵀ H(λ)⁻¹ g + ½ log det H(λ).
class Marginal {
 public:
  // `hessian` is that of U at a position with the same λ as `at`.
  Marginal(const Prior& prior, std::vector<double> at, const Panel& hessian)
      : size_(static_cast<Index>(at.size()) - 1),
        prior_(prior),
        at_(std::move(at)),
        data_(size_, size_),
        of_prior_(size_, size_) {
    std::vector<double> unit(at_.size()), column(at_.size());
    for (std::size_t j = 0; j < at_.size(); ++j) {
      unit[j] = 1;
      std::ranges::fill(column, 0.0);
      prior.add_curvature(unit, 1.0, column);
      unit[j] = 0;
      if (j + 1 == at_.size()) {
        prior_bend_ = column[j];
        continue;
      }
      for (std::size_t i = 0; i + 1 < at_.size(); ++i) {
        of_prior_.column(static_cast<Index>(j))[i] = column[i];
        data_.column(static_cast<Index>(j))[i] = hessian.column(static_cast<Index>(j))[i] - column[i];
      }
    }
  }

  double rows() const { return rows_; }
  double lambda() const { return at_.back(); }
  const std::vector<double>& at() const { return at_; }
  // The λ at which σ² is the mean squared residual.
  double residual() const { return at_.back() + 0.5 * math::log(misfit_ / rows_); }
  bool usable() const { return misfit_ > 0 && rows_ > 0 && std::isfinite(misfit_); }

  // Takes the gradients of the likelihood here, and first also where σ is so large that N alone is left of it.
  void see(std::span<const double> gradient) {
    pull_.assign(gradient.begin(), gradient.end());
    slope_.assign(at_.size(), 0.0);
    prior_.add_gradient(at_, 1.0, slope_);
    misfit_ = rows_ - pull_.back();
  }
  void set_rows(double here, double far_up, double distance) {
    rows_ = (far_up - math::exp(-2 * distance) * here) / (1 - math::exp(-2 * distance));
  }

  Panel bend(double lambda) const {
    const double share = math::exp(2 * (at_.back() - lambda));
    Panel h(size_, size_);
    for (Index j = 0; j < size_; ++j)
      for (std::size_t i = 0; i < static_cast<std::size_t>(size_); ++i)
        h.column(j)[i] = share * data_.column(j)[i] + of_prior_.column(j)[i];
    return h;
  }

  // Returns M(λ), and H⁻¹g, by which β moves, with its length in standard deviations last.
  double value(double lambda, std::vector<double>& move) const {
    const double share = math::exp(2 * (at_.back() - lambda)), away = lambda - at_.back();
    const Coordinates half(std::vector<double>(static_cast<std::size_t>(size_)), bend(lambda), true);
    Panel g(size_, 1), pulled(size_, 1), moved(size_, 1);
    for (std::size_t j = 0; j + 1 < slope_.size(); ++j) g.column(0)[j] = slope_[j] + share * pull_[j];
    half.pull_back(g, pulled);
    half.turn(pulled, moved);
    move.assign(moved.column(0).begin(), moved.column(0).end());
    const double squared = math::squared_norm(pulled.column(0));
    move.push_back(std::sqrt(squared));
    const double prior = slope_.back() * away + 0.5 * prior_bend_ * away * away;
    return 0.5 * share * misfit_ + rows_ * away + prior - 0.5 * squared - half.log_determinant();
  }

  // Goes to λ and the best β there. Returns how far β moves, in standard deviations.
  double go(double lambda) {
    std::vector<double> move;
    value(lambda, move);
    for (std::size_t j = 0; j + 1 < at_.size(); ++j) at_[j] -= move[j];
    math::scale(math::exp(2 * (at_.back() - lambda)), data_.flat());
    at_.back() = lambda;
    return move.back();
  }

 private:
  Index size_;
  const Prior& prior_;
  std::vector<double> at_;
  Panel data_, of_prior_;
  std::vector<double> pull_, slope_;  // the gradients of the likelihood and of the prior
  double prior_bend_ = 0, misfit_ = 0, rows_ = 0;
};

// Golden section search for the least M in [low, high].
double least_between(const Marginal& marginal, double low, double high) {
  constexpr double kGolden = 0.6180339887498949, kWithin = 1e-7;
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
  return 0.5 * (low + high);
}

// The least M on a grid from `high` down to `low`.
double least_on_grid(const Marginal& marginal, double low, double high) {
  constexpr double kApart = 0.5;
  std::vector<double> move;
  double best = high, least = marginal.value(high, move);
  for (double lambda = high - kApart; lambda >= low; lambda -= kApart)
    if (const double m = marginal.value(lambda, move); m < least) least = m, best = lambda;
  return best;
}

}  // namespace

std::optional<MarginalMode> find_marginal_mode(const Prior& prior, std::vector<double> start, const Panel& hessian,
                                               double tolerance,
                                               const std::function<void(ConstPanelView, PanelView)>& gradient) {
  const Index d = std::ssize(start), last = d - 1;
  if (last < 1 || last > kMost) return std::nullopt;
  constexpr double kFarUp = 20, kAbove = 3, kBelow = 25, kFar = 6, kNear = 0.75;
  constexpr int kFits = 4, kPasses = 20;
  Marginal marginal(prior, std::move(start), hessian);
  Panel at(d, 2), slopes(d, 2), slope(d, 1);
  for (Index c = 0; c < 2; ++c) std::ranges::copy(marginal.at(), at.column(c).begin());
  at.column(1).back() += kFarUp;
  gradient(at, slopes);
  marginal.set_rows(slopes.column(0).back(), slopes.column(1).back(), kFarUp);
  marginal.see(slopes.column(0));
  MarginalMode mode;
  mode.exchanges = 1;
  const auto look = [&] {
    gradient({marginal.at().data(), d, 1, d}, slope);
    marginal.see(slope.column(0));
    ++mode.exchanges;
    return marginal.usable();
  };
  if (!marginal.usable()) return std::nullopt;
  // First a good β, because M far from it is a small difference of large numbers.
  const double highest = marginal.residual() + kAbove, lowest = marginal.residual() - kBelow;
  for (int fit = 0; fit < kFits; ++fit) {
    marginal.go(std::max(least_on_grid(marginal, lowest, highest), marginal.residual() - kFar));
    mode.exact_fit = !look() || marginal.residual() < lowest;
    if (mode.exact_fit) return mode;
  }
  const double rough = least_on_grid(marginal, lowest, highest);
  mode.exact_fit = rough < lowest + 1;
  if (mode.exact_fit) return mode;
  double lambda = least_between(marginal, rough - kNear, rough + kNear);
  for (int pass = 0; pass < kPasses; ++pass) {
    mode.error = marginal.go(lambda);
    if (!look()) return std::nullopt;
    const double next = least_between(marginal, lambda - kNear, lambda + kNear);
    const double moved = std::abs(next - lambda) * std::sqrt(2 * marginal.rows());
    lambda = next;
    if (mode.error <= tolerance && moved < 1e-3) break;
  }
  constexpr double kWidth = 1e-2;
  std::vector<double> move;
  const double middle = marginal.value(lambda, move);
  const double bend =
      (marginal.value(lambda - kWidth, move) - 2 * middle + marginal.value(lambda + kWidth, move)) / (kWidth * kWidth);
  if (!(bend > 0) || !std::isfinite(bend)) return std::nullopt;
  mode.error = marginal.go(lambda);
  mode.position = marginal.at();
  const Panel coefficients = marginal.bend(lambda);
  mode.hessian = Panel(d, d);
  for (Index j = 0; j < last; ++j) std::ranges::copy(coefficients.column(j), mode.hessian.column(j).begin());
  mode.hessian.column(last)[static_cast<std::size_t>(last)] = bend;
  return mode;
}

}  // namespace pollen
