// Stationary laws of cycles of random affine steps.
#include <fmt/format.h>

#include <stdexcept>

#include "math/linear_algebra.h"
#include "moment_map.h"
#include "moment_solve.h"

namespace pollen::stats {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Tells whether the recursion is mean-square stable. K maps positive matrices to positive ones, so its spectral radius
// is below one exactly if X = I + K(X) has a positive definite solution. Then X = Σ_j K^j(I), and K(X) = X - I ≤ (1 -
// 1/λ_max) X.
bool mean_square_stable(const CycleSolver& solver, Eigen::Index n) {
  // If λ_max is larger, the spectral radius cannot be told from one.
  constexpr double kLargest = 1e12;
  const MatrixXd x = solver.solve(MatrixXd::Identity(n, n));
  if (!x.allFinite()) return false;
  const VectorXd values = math::symmetric_eigenvalues(x);
  return values.minCoeff() > 0.5 && values.maxCoeff() < kLargest;
}

// Returns the mean just before the first phase, which is also the mean after the last.
VectorXd periodic_mean(const Cycle& cycle) {
  const Eigen::Index n = cycle.front()->size();
  MatrixXd a = MatrixXd::Identity(n, n);
  VectorXd b = VectorXd::Zero(n);
  for (const MomentMap* map : cycle) {
    a = (map->matrix() * a).eval();
    b = (map->matrix() * b + map->mean.col(n)).eval();
  }
  return math::LinearSystem(MatrixXd::Identity(n, n) - a).solve(b);
}

Law after(const Cycle& cycle, Law law) {
  for (const MomentMap* map : cycle) law = map->next(law);
  return law;
}

}  // namespace

std::vector<Law> stationary(const Cycle& cycle) {
  if (cycle.empty()) throw std::invalid_argument("stationary: found an empty cycle, accepted: at least 1 phase");
  const Eigen::Index n = cycle.front()->size();
  for (const MomentMap* map : cycle)
    if (map->size() != n)
      throw std::invalid_argument(
          fmt::format("stationary: found phases of sizes {} and {}, accepted: one size", n, map->size()));
  const CycleSolver solver(cycle);
  if (!mean_square_stable(solver, n)) throw std::domain_error("stationary: the recursion is not mean-square stable");
  Law law{periodic_mean(cycle), MatrixXd::Zero(n, n)};
  // The right-hand side is the covariance that one cycle creates from a fixed state.
  law.covariance = solver.solve(after(cycle, law).covariance);
  std::vector<Law> result;
  for (const MomentMap* map : cycle) result.push_back(law = map->next(law));
  return result;
}

std::vector<Law> stationary(const std::vector<Phase>& phases) {
  std::vector<MomentMap> maps;
  for (const Phase& phase : phases) maps.push_back(moment_map(phase));
  Cycle cycle;
  for (const MomentMap& map : maps) cycle.push_back(&map);
  return stationary(cycle);
}

}  // namespace pollen::stats
