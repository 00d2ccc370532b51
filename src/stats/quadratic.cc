// The exact posterior of a quadratic problem.
#include "stats/exact_law.h"

namespace pollen::stats {

Law QuadraticProblem::target(double temperature) const {
  Eigen::MatrixXd precision = prior_precision.asDiagonal();
  Eigen::VectorXd shift = Eigen::VectorXd::Zero(prior_precision.size());
  for (const QuadraticClient& client : clients) {
    for (const QuadraticTerm& term : client.terms) {
      precision += term.curvature;
      shift += term.shift;
    }
  }
  const Eigen::LDLT<Eigen::MatrixXd> factor(precision);
  const auto identity = Eigen::MatrixXd::Identity(precision.rows(), precision.cols());
  return {factor.solve(shift), temperature * factor.solve(identity)};
}

}  // namespace pollen::stats
