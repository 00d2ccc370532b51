#include "marginal_scale.h"

#include <algorithm>
#include <cmath>

#include "math/linear_algebra.h"
#include "math/math.h"

namespace pollen {

namespace {

using Eigen::MatrixXd;

// Adds the curvature of the prior of β to a matrix that has λ in its last row and column.
void add_prior_of_coefficients(const Prior& prior, Panel& matrix) {
  std::vector<double> unit(static_cast<std::size_t>(matrix.rows()));
  for (std::size_t j = 0; j + 1 < unit.size(); ++j) {
    unit[j] = 1;
    prior.add_curvature(unit, 1.0, matrix.column(static_cast<Index>(j)));
    unit[j] = 0;
  }
}

// Lets λ stand by itself, with curvature 1.
Panel without_scale(Panel hessian) {
  const Index last = hessian.rows() - 1;
  for (Index j = 0; j < last; ++j)
    hessian.column(last)[static_cast<std::size_t>(j)] = hessian.column(j)[static_cast<std::size_t>(last)] = 0;
  hessian.column(last)[static_cast<std::size_t>(last)] = 1;
  return hessian;
}

}  // namespace

MarginalScale::MarginalScale(const Prior& prior, const std::vector<double>& at, const Panel& hessian)
    : prior_(prior),
      size_(static_cast<Index>(at.size()) - 1),
      from_(at.back()),
      data_(hessian.rows(), hessian.rows()),
      root_(at, without_scale(copy_of(hessian)), true) {
  Panel of_prior(size_ + 1, size_ + 1);
  add_prior_of_coefficients(prior, of_prior);
  MatrixXd share(size_, size_);
  Panel column(size_ + 1, 1), image(size_ + 1, 1), pulled(size_ + 1, 1);
  for (Index k = 0; k < size_; ++k) {
    math::subtract(hessian.column(k), of_prior.column(k), data_.column(k));
    column.column(0)[static_cast<std::size_t>(k)] = 1;
    root_.turn(column, image);
    column.column(0)[static_cast<std::size_t>(k)] = 0;
    image.column(0).back() = 0;
    Panel product(size_ + 1, 1);
    prior.add_curvature(image.column(0), 1.0, product.column(0));
    root_.pull_back(product, pulled);
    std::copy_n(pulled.column(0).begin(), size_, share.col(k).begin());
  }
  const math::Eigenpairs eigen = math::symmetric_eigen(share);
  directions_ = eigen.vectors;
  for (const double held : eigen.values) held_.push_back(std::clamp(held, 0.0, 1.0));
}

void MarginalScale::look(const std::vector<double>& position, double slope, double slope_above) {
  const double lost = 1 - math::exp(-2.0);  // from λ to λ + 1, e^(-2λ) RSS loses so much of itself
  at_ = position.back();
  misfit_ = std::max(0.0, (slope_above - slope) / lost);
  rows_ = slope + misfit_;
  Panel gradient(size_ + 1, 1), pulled(size_ + 1, 1), unit(size_ + 1, 1), bend(size_ + 1, 1);
  prior_.add_gradient(position, 1.0, gradient.column(0));
  slope_ = gradient.column(0).back();
  gradient.column(0).back() = 0;
  root_.pull_back(gradient, pulled);
  const Eigen::VectorXd along = directions_.transpose() * Eigen::VectorXd::Map(pulled.column(0).data(), size_);
  pull_.assign(along.begin(), along.end());
  unit.column(0).back() = 1;
  prior_.add_curvature(unit.column(0), 1.0, bend.column(0));
  bend_ = bend.column(0).back();
}

double MarginalScale::squares() const { return math::exp(2 * at_) * misfit_; }

// With H_ββ = S e^(-2λ) + P and p = ∇_β U_0 at the best β for at_, which the likelihood's gradient cancels there,
//   M(λ) = ½ e^(-2λ) RSS + Nλ + U_0(λ) - ½ gᵀ H(λ)⁻¹ g + ½ log det H(λ) + constant,   g = p (1 - e^(2(at_-λ))).
double MarginalScale::value(double lambda) const {
  const double away = lambda - at_, share = math::exp(-2 * away), of_data = math::exp(2 * (from_ - lambda));
  double sum = 0.5 * share * misfit_ + rows_ * away + slope_ * away + 0.5 * bend_ * away * away;
  for (std::size_t k = 0; k < held_.size(); ++k) {
    const double curvature = of_data * (1 - held_[k]) + held_[k], g = pull_[k] * (1 - share);
    sum += 0.5 * math::log(curvature) - 0.5 * g * g / curvature;
  }
  return sum;
}

// The search stays near the λ of the last look, because rounding errors of that look grow with e^(2 (at_ - λ)).
double MarginalScale::best() const {
  constexpr double kGolden = 0.6180339887498949, kWithin = 1e-7;
  double low = at_ - kBelow, high = at_ + kAbove;
  double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
  double at_a = value(a), at_b = value(b);
  while (high - low > kWithin) {
    if (at_a < at_b) {
      high = b, b = a, at_b = at_a;
      at_a = value(a = high - kGolden * (high - low));
    } else {
      low = a, a = b, at_a = at_b;
      at_b = value(b = low + kGolden * (high - low));
    }
  }
  return 0.5 * (low + high);
}

Panel MarginalScale::of_coefficients(double lambda) const {
  Panel result = copy_of(data_);
  const double share = math::exp(2 * (from_ - lambda));
  for (Index k = 0; k < size_; ++k) math::scale(share, result.column(k));
  add_prior_of_coefficients(prior_, result);
  return without_scale(std::move(result));
}

Panel MarginalScale::hessian(double lambda) const {
  constexpr double kWidth = 1e-2;
  Panel result = of_coefficients(lambda);
  result.column(size_).back() =
      (value(lambda - kWidth) - 2 * value(lambda) + value(lambda + kWidth)) / (kWidth * kWidth);
  return result;
}

}  // namespace pollen
