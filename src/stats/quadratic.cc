// The exact posterior of a quadratic problem.
#include "math/linear_algebra.h"
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
  const math::LinearSystem system(precision);
  return {system.solve(shift), temperature * system.inverse()};
}

}  // namespace pollen::stats
