// Maximum likelihood of the linear mixed model: EM from any start, then Newton on the exact gradient.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "math/linear_algebra.h"
#include "stats/mixed_law.h"

namespace pollen::stats {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Clients = std::vector<MixedClient>;

constexpr int kEmSteps = 100, kNewtonSteps = 200, kHalvings = 60;
constexpr double kTolerance = 1e-9;

// The numbers of clients and rows, and the squared lengths of the columns over all clients' rows.
struct Totals {
  Totals(const Clients& all, const MixedParameters& start) : clients(static_cast<double>(all.size())) {
    // This call is made only for its checks of shapes.
    mixed_log_likelihood(all, start);
    const Index p = start.phi.size(), d = start.mean.size();
    Index count = 0;
    for (const MixedClient& client : all) count += client.y.size();
    MatrixXd stacked(count, p + d);
    Index row = 0;
    for (const MixedClient& client : all) {
      const Index n = client.y.size();
      if (p > 0) stacked.block(row, 0, n, p) = client.fixed;
      stacked.block(row, p, n, d) = client.random;
      row += n;
    }
    rows = static_cast<double>(count);
    const VectorXd squares = stacked.colwise().squaredNorm().transpose();
    if (count < p + d || d == 0 || squares.minCoeff() == 0)
      throw std::invalid_argument("mixed_mle: too few rows for the columns");
    fixed = squares.head(p);
    random = squares.tail(d);
    const VectorXd scale = squares.cwiseSqrt().cwiseInverse();
    if (math::orthonormal_basis(stacked * scale.asDiagonal()).cols() < p + d)
      throw std::invalid_argument("mixed_mle: the columns of fixed and random are linearly dependent");
  }

  double clients = 0, rows = 0;
  VectorXd fixed, random;  // Σ a_k², Σ b_k²
};

// Raises small starting values of σ. The gradient with respect to log σ vanishes at σ = 0 whether or not that is a
// maximum, so EM must start where the clients' rows have influence.
MixedParameters lifted(MixedParameters start, const Totals& totals, const MixedMleOptions& options) {
  const VectorXd heard = (0.5 * (totals.clients / totals.random.array()).log() + start.log_noise).matrix();
  start.log_sd = start.log_sd.cwiseMax(heard);
  if (options.scalar_sd) start.log_sd.setConstant(start.log_sd.maxCoeff());
  return start;
}

// One step of EM: φ solves Σ A'A φ = Σ A'(y - B m_i), σ² is the mean of E(z - μ)², and s² is the mean of E(y - A φ - B
// z)².
MixedParameters em_step(const Clients& clients, const MixedParameters& at, const Totals& totals,
                        const MixedMleOptions& options) {
  const Index p = at.phi.size(), d = at.mean.size();
  std::vector<Law> laws;
  MixedParameters next{VectorXd::Zero(p), VectorXd::Zero(d), VectorXd::Zero(d), at.log_noise};
  MatrixXd gram = MatrixXd::Zero(p, p);
  VectorXd moment = VectorXd::Zero(p);
  for (const MixedClient& client : clients) {
    laws.push_back(mixed_posterior(client, at));
    next.mean += laws.back().mean / totals.clients;
    if (p == 0) continue;
    gram += client.fixed.transpose() * client.fixed;
    moment += client.fixed.transpose() * (client.y - client.random * laws.back().mean);
  }
  if (p > 0) next.phi = math::LinearSystem(gram).solve(moment);
  VectorXd variance = VectorXd::Zero(d);
  double noise = 0;
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const MatrixXd& b = clients[i].random;
    VectorXd residual = clients[i].y - b * laws[i].mean;
    if (p > 0) residual -= clients[i].fixed * next.phi;
    variance += ((laws[i].mean - next.mean).cwiseAbs2() + laws[i].covariance.diagonal()) / totals.clients;
    noise += (residual.squaredNorm() + (b.transpose() * b).cwiseProduct(laws[i].covariance).sum()) / totals.rows;
  }
  if (options.scalar_sd) variance.setConstant(variance.mean());
  next.log_sd = 0.5 * variance.array().log();
  if (!options.fix_noise) next.log_noise = 0.5 * std::log(noise);
  return next;
}

// The log-likelihood as a function of the free coordinates x: parameters = E x + c, where E has entries 0 and 1.
class Surface {
 public:
  Surface(const Clients& clients, const MixedParameters& start, const Totals& totals, const MixedMleOptions& options)
      : clients_(clients), totals_(totals), p_(start.phi.size()), d_(start.mean.size()) {
    const Index location = p_ + d_, sds = options.scalar_sd ? 1 : d_;
    map_ = MatrixXd::Zero(location + d_ + 1, location + sds + (options.fix_noise ? 0 : 1));
    map_.topLeftCorner(location, location).setIdentity();
    for (Index k = 0; k < d_; ++k) map_(location + k, location + (options.scalar_sd ? 0 : k)) = 1;
    offset_ = VectorXd::Zero(map_.rows());
    if (options.fix_noise)
      offset_(map_.rows() - 1) = start.log_noise;
    else
      map_(map_.rows() - 1, map_.cols() - 1) = 1;
  }

  VectorXd free(const MixedParameters& at) const { return of_coordinates(flat(at) - offset_); }

  MixedParameters parameters(const VectorXd& x) const {
    const VectorXd full = map_ * x + offset_;
    return {full.head(p_), full.segment(p_, d_), full.segment(p_ + d_, d_), full(p_ + 2 * d_)};
  }

  double value(const VectorXd& x) const { return mixed_log_likelihood(clients_, parameters(x)); }
  VectorXd gradient(const VectorXd& x) const {
    return map_.transpose() * flat(mixed_gradient(clients_, parameters(x)));
  }
  double rounding(double value) const { return 1e-13 * (std::abs(value) + totals_.rows); }

  // Returns roughly the standard error of each coordinate, which makes gradients and curvatures dimensionless.
  VectorXd units(const VectorXd& x) const {
    MixedParameters unit = parameters(x);
    const double noise = std::exp(2 * unit.log_noise);
    unit.phi = (noise / totals_.fixed.array()).sqrt();
    unit.mean = ((2 * unit.log_sd.array()).exp() / totals_.clients + noise / totals_.random.array()).sqrt();
    unit.log_sd.setConstant(1 / std::sqrt(totals_.clients));
    unit.log_noise = 1 / std::sqrt(totals_.rows);
    return of_coordinates(flat(unit));
  }

  // A Newton step with the absolute values of the curvature's eigenvalues, so that it climbs from anywhere. A scale
  // changes by at most a factor e.
  VectorXd step(const VectorXd& x, const VectorXd& unit, const VectorXd& slope) const {
    // The width of central differences of the exact gradient; their error is of order kWidth² plus rounding/kWidth.
    constexpr double kWidth = 1e-3;
    const Index n = x.size(), location = p_ + d_;
    MatrixXd curvature(n, n);
    for (Index k = 0; k < n; ++k) {
      const VectorXd shift = kWidth * unit(k) * VectorXd::Unit(n, k);
      curvature.col(k) = unit.cwiseProduct(gradient(x + shift) - gradient(x - shift)) / (2 * kWidth);
    }
    const math::Eigenpairs eigen = math::symmetric_eigen(0.5 * (curvature + curvature.transpose()));
    VectorXd size = eigen.values.cwiseAbs();
    size = size.cwiseMax(1e-10 * size.maxCoeff()).eval();
    const VectorXd along = (eigen.vectors.transpose() * slope).cwiseQuotient(size);
    const VectorXd result = unit.cwiseProduct(eigen.vectors * along);
    return result / std::max(1.0, result.tail(n - location).cwiseAbs().maxCoeff());
  }

 private:
  VectorXd flat(const MixedParameters& at) const {
    VectorXd result(p_ + 2 * d_ + 1);
    result.head(p_) = at.phi;
    result.segment(p_, d_) = at.mean;
    result.segment(p_ + d_, d_) = at.log_sd;
    result(p_ + 2 * d_) = at.log_noise;
    return result;
  }
  // Averages the parameters that belong to each coordinate.
  VectorXd of_coordinates(const VectorXd& full) const {
    return (map_.transpose() * full).cwiseQuotient(map_.colwise().sum().transpose());
  }

  const Clients& clients_;
  const Totals& totals_;
  Index p_ = 0, d_ = 0;
  MatrixXd map_;
  VectorXd offset_;
};

}  // namespace

MixedParameters mixed_mle(const Clients& clients, const MixedParameters& start, const MixedMleOptions& options) {
  const Totals totals(clients, start);
  MixedParameters near = lifted(start, totals, options);
  for (int k = 0; k < kEmSteps; ++k) near = em_step(clients, near, totals, options);
  const Surface surface(clients, start, totals, options);
  VectorXd x = surface.free(near);
  for (int k = 0; k < kNewtonSteps; ++k) {
    const VectorXd unit = surface.units(x), slope = unit.cwiseProduct(surface.gradient(x));
    if (!slope.allFinite()) break;
    if (slope.cwiseAbs().maxCoeff() < kTolerance) return surface.parameters(x);
    const VectorXd step = surface.step(x, unit, slope);
    const double value = surface.value(x), gain = 1e-4 * slope.dot(step.cwiseQuotient(unit));
    double length = 1;
    int halvings = 0;
    while (!(surface.value(x + length * step) >= value + length * gain - surface.rounding(value))) {
      if (++halvings > kHalvings)
        throw std::domain_error("mixed_mle: no step climbs; the likelihood has no maximum here");
      length /= 2;
    }
    x += length * step;
  }
  throw std::domain_error("mixed_mle: no maximum found; the rows may be fitted without noise");
}

}  // namespace pollen::stats
