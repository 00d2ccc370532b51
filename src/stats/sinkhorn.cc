#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "math/math.h"
#include "transport_cost.h"

namespace pollen::stats {
namespace {

constexpr double kSharpness = 0.005;  // the regularisation, relative to the samples' own mean squared distance
constexpr int kPlain = 40;            // iterations at the final regularisation, after annealing

// One half of Sinkhorn's iteration: out_j = -ε log mean_i exp((potential_i - cost(i, j)) / ε).
Eigen::VectorXd soft_minimum(const Eigen::MatrixXd& cost, const Eigen::VectorXd& potential, double epsilon) {
  Eigen::VectorXd out(cost.cols()), work(cost.rows());
  const auto span = [&] { return std::span<double>(work.data(), static_cast<std::size_t>(work.size())); };
  for (Eigen::Index j = 0; j < cost.cols(); ++j) {
    work = (potential - cost.col(j)) / epsilon;
    const double top = work.maxCoeff();
    work.array() -= top;
    math::exp(span(), span());
    out(j) = -epsilon * (top + std::log(work.mean()));
  }
  return out;
}

// Returns the regularisation of every iteration: halved from the largest cost down to `epsilon`, then kPlain times
// `epsilon`.
std::vector<double> schedule(double largest, double epsilon) {
  std::vector<double> result;
  for (double e = largest; e > epsilon; e /= 2) result.push_back(e);
  result.insert(result.end(), kPlain, epsilon);
  return result;
}

// Returns the dual value of entropic transport between two samples.
double entropic(const Eigen::MatrixXd& cost, double epsilon) {
  const Eigen::MatrixXd transposed = cost.transpose();
  Eigen::VectorXd f = Eigen::VectorXd::Zero(cost.rows()), g = Eigen::VectorXd::Zero(cost.cols());
  for (const double e : schedule(cost.maxCoeff(), epsilon)) {
    f = soft_minimum(transposed, g, e);
    g = soft_minimum(cost, f, e);
  }
  return f.mean() + g.mean();
}

// Returns the dual value of entropic transport of a sample to itself. There is a single potential, and averaged updates
// converge in a few steps.
double self_entropic(const Eigen::MatrixXd& cost, double epsilon) {
  Eigen::VectorXd f = Eigen::VectorXd::Zero(cost.rows());
  for (const double e : schedule(cost.maxCoeff(), epsilon)) f = (0.5 * (f + soft_minimum(cost, f, e))).eval();
  return f.mean() + soft_minimum(cost, f, epsilon).mean();
}

}  // namespace

Eigen::MatrixXd squared_distances(const Points& a, const Points& b) {
  Eigen::MatrixXd cost(a.cols(), b.cols());
  for (Eigen::Index j = 0; j < b.cols(); ++j) cost.col(j) = (a.colwise() - b.col(j)).colwise().squaredNorm();
  return cost;
}

// Returns the debiased divergence (Feydy et al. 2019): the entropic cost less half of each sample's cost to itself.
double sinkhorn_divergence(const Points& a, const Points& b) {
  const Eigen::MatrixXd across = squared_distances(a, b), within_a = squared_distances(a, a);
  const Eigen::MatrixXd within_b = squared_distances(b, b);
  const double scale = std::max(within_a.mean(), within_b.mean());
  if (scale == 0) return across.mean();
  const double epsilon = kSharpness * scale;
  const double value =
      entropic(across, epsilon) - 0.5 * (self_entropic(within_a, epsilon) + self_entropic(within_b, epsilon));
  return std::max(value, 0.0);
}

}  // namespace pollen::stats
