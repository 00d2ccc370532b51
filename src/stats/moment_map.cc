#include "moment_map.h"

#include <cmath>
#include <stdexcept>

namespace pollen::stats {

Eigen::MatrixXd MomentMap::linear_part(const Eigen::MatrixXd& covariance) const {
  Eigen::MatrixXd result = matrix() * covariance * matrix().transpose();
  for (const Eigen::MatrixXd& deviation : deviations) {
    const auto a = deviation.leftCols(size());
    result.noalias() += a * covariance * a.transpose();
  }
  return result;
}

Law MomentMap::next(const Law& law) const {
  Law result;
  result.mean = matrix() * law.mean + mean.col(size());
  result.covariance = linear_part(law.covariance) + noise;
  for (const Eigen::MatrixXd& deviation : deviations) {
    const Eigen::VectorXd r = deviation.leftCols(size()) * law.mean + deviation.col(size());
    result.covariance.noalias() += r * r.transpose();
  }
  result.covariance = (0.5 * (result.covariance + result.covariance.transpose())).eval();
  return result;
}

MomentMap moment_map(const Phase& phase) {
  if (phase.outcomes.empty()) throw std::invalid_argument("stationary: a phase without outcomes");
  const Eigen::Index n = phase.outcomes.front().b.size();
  MomentMap map{Eigen::MatrixXd::Zero(n, n + 1), {}, phase.noise};
  double total = 0;
  for (const AffineOutcome& outcome : phase.outcomes) {
    if (outcome.b.size() != n || outcome.a.rows() != n || outcome.a.cols() != n)
      throw std::invalid_argument("stationary: outcomes of different sizes");
    map.mean.leftCols(n) += outcome.probability * outcome.a;
    map.mean.col(n) += outcome.probability * outcome.b;
    total += outcome.probability;
  }
  if (!(std::abs(total - 1) < 1e-9)) throw std::invalid_argument("stationary: probabilities do not sum to one");
  if (map.noise.rows() != n || map.noise.cols() != n) throw std::invalid_argument("stationary: noise is not n × n");
  if (phase.outcomes.size() == 1) return map;
  for (const AffineOutcome& outcome : phase.outcomes) {
    Eigen::MatrixXd both(n, n + 1);
    both << outcome.a, outcome.b;
    map.deviations.push_back(std::sqrt(outcome.probability) * (both - map.mean));
  }
  return map;
}

}  // namespace pollen::stats
