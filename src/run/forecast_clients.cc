// The clients of a process that sees all of them, at the mode: what an exact law of a run needs.
#include <cmath>
#include <utility>

#include "forecast_matrices.h"
#include "forecasting.h"

namespace pollen {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

}  // namespace

void Forecasting::see_clients() {
  const StatisticalProblem& problem = subject_.problem;
  const auto d = hessian_.rows();
  const bool split = !subject_.recipe.prior_on_server && !subject_.recipe.local;
  const double share = split ? 1 / static_cast<double>(problem.clients()) : 0;
  const MatrixXd prior = prior_curvature(problem.prior, d);
  const VectorXd pull = prior_gradient(problem.prior, subject_.questions.mode());
  visible_.emplace();
  visible_->prior_curvature = split ? MatrixXd(MatrixXd::Zero(d, d)) : prior;
  visible_->prior_gradient = split ? VectorXd(VectorXd::Zero(d)) : pull;
  for (std::size_t i = 0; i < problem.potentials.size(); ++i) {
    std::shared_ptr<const Potential> potential = problem.potentials[i];
    if (subject_.coordinates) potential = in_coordinates(std::move(potential), subject_.coordinates);
    visible_->clients.push_back(see(*potential));
    visible_->clients.back().rows = problem.rows[i];
    visible_->clients.back().curvature += share * prior;
    visible_->clients.back().gradient += share * pull;
  }
}

// A client's likelihood at the mode, by differences of gradients along the directions, which are orthogonal.
plan::VisibleClient Forecasting::see(const Potential& potential) const {
  constexpr double kStep = 1e-3;  // in posterior standard deviations
  const auto d = hessian_.rows();
  const VectorXd mode = VectorXd::Map(subject_.questions.mode().data(), d);
  const MatrixXd along = matrix_of(directions_);
  MatrixXd ends(d, 2 * d + 1);
  ends << (kStep * along).colwise() + mode, (-kStep * along).colwise() + mode, mode;
  const Panel at = panel_of(ends);
  Panel slopes(d, 2 * d + 1);
  Scratch scratch;
  potential.gradient(at, slopes, scratch);
  const MatrixXd g = matrix_of(slopes), change = (g.leftCols(d) - g.middleCols(d, d)) / (2 * kStep);
  const VectorXd lengths = along.colwise().squaredNorm().transpose();
  const MatrixXd curvature = change * lengths.cwiseInverse().asDiagonal() * along.transpose();
  return {0.5 * (curvature + curvature.transpose()), g.col(2 * d), 1};
}

}  // namespace pollen
