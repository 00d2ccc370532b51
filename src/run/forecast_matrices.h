// Panels and the parts of a Hessian as matrices, for forecasts.
#pragma once

#include <algorithm>

#include "math/linear_algebra.h"
#include "model/coordinates.h"
#include "pollen/model.h"
#include "pollen/recipe.h"

namespace pollen {

inline Eigen::MatrixXd matrix_of(ConstPanelView view) {
  Eigen::MatrixXd result(view.rows, view.columns);
  for (Index c = 0; c < view.columns; ++c) std::ranges::copy(view.column(c), result.col(c).begin());
  return result;
}

inline Panel panel_of(const Eigen::MatrixXd& matrix) {
  Panel result(matrix.rows(), matrix.cols());
  for (Index c = 0; c < matrix.cols(); ++c) std::ranges::copy(matrix.col(c), result.column(c).begin());
  return result;
}

// The curvature of the prior, which is the same everywhere, and its gradient.
Eigen::MatrixXd prior_curvature(const Prior& prior, Index d);
Eigen::VectorXd prior_gradient(const Prior& prior, const std::vector<double>& at);

// The linear part of the map from the coordinates of a run to the parameters as they are reported.
Eigen::MatrixXd reported_directions(const ModelSpec& model, const Coordinates* coordinates, Index d);

// The largest ω of the compressors of the clients' messages.
double most_omega(const Uplink& up, Index dimension);

}  // namespace pollen
