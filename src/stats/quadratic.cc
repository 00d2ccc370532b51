// The exact posterior of a quadratic problem.
#include "math/linear_algebra.h"
#include "stats/exact_law.h"

namespace pollen::stats {

Eigen::MatrixXd QuadraticProblem::prior_curvature() const {
  return prior_matrix.size() > 0 ? prior_matrix : Eigen::MatrixXd(prior_precision.asDiagonal());
}

Eigen::VectorXd QuadraticProblem::prior_pull() const {
  return prior_shift.size() > 0 ? prior_shift : Eigen::VectorXd(Eigen::VectorXd::Zero(prior_precision.size()));
}

Law QuadraticProblem::target(double temperature) const {
  Eigen::MatrixXd precision = prior_curvature();
  Eigen::VectorXd shift = prior_pull();
  for (const QuadraticClient& client : clients) {
    for (const QuadraticTerm& term : client.terms) {
      precision += term.curvature;
      shift += term.shift;
    }
  }
  const math::LinearSystem system(precision);
  return {system.solve(shift), temperature * system.inverse()};
}

}  // namespace pollen::stats
