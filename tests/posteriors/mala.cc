#include "mala.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>

namespace pollen::reference {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd gradient_at(const Pooled& problem, const VectorXd& theta, double* value = nullptr) {
  Vector g;
  const double u = problem.value_and_gradient(Vector(theta.begin(), theta.end()), g);
  if (value != nullptr) *value = u;
  return Eigen::Map<const VectorXd>(g.data(), static_cast<Eigen::Index>(g.size()));
}

MatrixXd hessian_at(const Pooled& problem, const VectorXd& theta) {
  const Eigen::Index d = theta.size();
  const double h = 1e-5;
  MatrixXd out(d, d);
  for (Eigen::Index j = 0; j < d; ++j) {
    const VectorXd e = h * VectorXd::Unit(d, j);
    out.col(j) = (gradient_at(problem, theta + e) - gradient_at(problem, theta - e)) / (2 * h);
  }
  return 0.5 * (out + out.transpose());
}

// Finds the mode by Newton's method, damped until the potential falls.
VectorXd newton(const Pooled& problem) {
  const auto d = static_cast<Eigen::Index>(problem.dimension());
  VectorXd theta = VectorXd::Zero(d);
  double damping = 1, value = 0;
  VectorXd g = gradient_at(problem, theta, &value);
  for (int k = 0; k < 200 && g.norm() > 1e-8; ++k) {
    const MatrixXd curvature = hessian_at(problem, theta) + damping * MatrixXd::Identity(d, d);
    const VectorXd next = theta - curvature.ldlt().solve(g);
    double next_value = 0;
    const VectorXd next_g = gradient_at(problem, next, &next_value);
    const bool better = next_value <= value + 1e-12 * std::abs(value);
    damping = better ? damping / 10 : damping * 10;
    if (better) theta = next, value = next_value, g = next_g;
  }
  return theta;
}

struct Point {
  VectorXd q, gradient;  // in whitened coordinates: θ = mode + L q, L Lᵀ = Hessian⁻¹
  double value = 0;
};

struct Whitened {
  const Pooled& problem;
  VectorXd centre;
  MatrixXd factor;

  explicit Whitened(const Pooled& pooled) : problem(pooled), centre(newton(pooled)) {
    const MatrixXd covariance = hessian_at(pooled, centre).inverse();
    factor = covariance.llt().matrixL();
  }
  VectorXd theta(const VectorXd& q) const { return centre + factor * q; }
  Point at(VectorXd q) const {
    Point point;
    point.gradient = factor.transpose() * gradient_at(problem, theta(q), &point.value);
    point.q = std::move(q);
    return point;
  }
};

// Returns the log density of the proposal from one point to another, up to a constant.
double log_proposal(const Point& from, const Point& to, double h) {
  return -(to.q - from.q + 0.5 * h * h * from.gradient).squaredNorm() / (2 * h * h);
}

}  // namespace

Vector mode(const Pooled& problem) {
  const VectorXd theta = newton(problem);
  return {theta.begin(), theta.end()};
}

Chains mala(const Pooled& problem, const MalaOptions& options) {
  const Whitened target(problem);
  const std::size_t d = problem.dimension();
  std::mt19937_64 engine(options.seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const auto draw = [&] {
    VectorXd z(static_cast<Eigen::Index>(d));
    for (double& v : z) v = normal(engine);
    return z;
  };
  Chains out{options.chains, std::vector<Vector>(d), 0};
  for (std::size_t c = 0; c < options.chains; ++c) {
    double h = 1.6 / std::pow(static_cast<double>(d), 1.0 / 6);
    Point now = target.at(draw());
    for (std::size_t k = 0; k < options.warm_up + options.draws; ++k) {
      const Point next = target.at(now.q - 0.5 * h * h * now.gradient + h * draw());
      const double log_ratio = now.value - next.value + log_proposal(next, now, h) - log_proposal(now, next, h);
      const bool accepted = std::log(uniform(engine)) < log_ratio;
      if (k < options.warm_up) {
        h *= std::exp((std::min(1.0, std::exp(log_ratio)) - 0.6) / std::sqrt(static_cast<double>(k) + 1));
      } else {
        out.acceptance += accepted ? 1.0 / static_cast<double>(options.draws * options.chains) : 0.0;
      }
      if (accepted) now = next;
      if (k < options.warm_up) continue;
      const VectorXd theta = target.theta(now.q);
      for (std::size_t j = 0; j < d; ++j) out.values[j].push_back(theta[static_cast<Eigen::Index>(j)]);
    }
  }
  return out;
}

}  // namespace pollen::reference
