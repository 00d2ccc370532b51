// What the clients of a quadratic problem would send for a forecast, written from the formulas of docs/plan.md and not
// from the code of the clients.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "plan/forecast.h"
#include "stats/exact_law.h"

namespace pollen::plan {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using stats::GradientLawOptions;
using stats::QuadraticProblem;

// A client at the mode: H_i, g_i, N_i, n_i, the sums of g_ij g_ijᵀ and of H_ij S H_ij over its rows.
struct AtMode {
  MatrixXd curvature, row_gradients, row_curvatures;
  VectorXd gradient;
  double rows = 1, batch = 1;

  // N(N-n)/(n(N-1)) [Σ_j v_j v_jᵀ - v vᵀ/N], the covariance of a minibatch's sum of what the rows add up to.
  MatrixXd minibatch(const MatrixXd& of_rows, const MatrixXd& of_sum) const {
    if (batch >= rows) return MatrixXd::Zero(curvature.rows(), curvature.rows());
    return rows * (rows - batch) / (batch * (rows - 1)) * (of_rows - of_sum / rows);
  }
  MatrixXd noise_at_mode() const { return minibatch(row_gradients, gradient * gradient.transpose()); }
  MatrixXd noise_around(const MatrixXd& s) const { return minibatch(row_curvatures, curvature * s * curvature); }
};

inline std::vector<AtMode> at_mode(const QuadraticProblem& problem, int batch, double temperature) {
  const VectorXd mode = problem.target().mean;
  const MatrixXd s = problem.target(temperature).covariance;
  const Index d = mode.size();
  std::vector<AtMode> clients;
  for (const auto& client : problem.clients) {
    AtMode at{MatrixXd::Zero(d, d), MatrixXd::Zero(d, d), MatrixXd::Zero(d, d), VectorXd::Zero(d)};
    for (const auto& term : client.terms) {
      const VectorXd g = term.curvature * mode - term.shift;
      at.curvature += term.curvature;
      at.gradient += g;
      at.row_gradients += g * g.transpose();
      at.row_curvatures += term.curvature * s * term.curvature;
    }
    at.rows = static_cast<double>(client.terms.size());
    at.batch = batch > 0 ? std::min<double>(batch, at.rows) : at.rows;
    clients.push_back(at);
  }
  return clients;
}

// The covariance of Σ w_i v_i over who takes part is Σ own_i v_i v_iᵀ + common (Σ v_i)(Σ v_i)ᵀ, and E[w_i²] is 1 +
// own_i
// + common.
struct Weighting {
  std::vector<double> own;
  double common = 0;
  double square(std::size_t i) const { return 1 + own[i] + common; }
};

inline Weighting weighting_of(const GradientLawOptions& o, const std::vector<AtMode>& clients) {
  using Who = GradientLawOptions::Participation;
  const auto b = static_cast<double>(clients.size());
  Weighting presence{std::vector<double>(clients.size(), 0.0)};
  double total = 0, inverse = 0, chance = 0;
  for (const AtMode& client : clients) total += client.rows;
  for (double n = 1; n <= b && o.participation == Who::bernoulli_active; ++n) {
    const double ways = std::exp(std::lgamma(b + 1) - std::lgamma(n + 1) - std::lgamma(b - n + 1));
    const double p = ways * std::pow(o.probability[0], n) * std::pow(1 - o.probability[0], b - n);
    chance += p;
    inverse += p / n;
  }
  const double mean_inverse = o.participation == Who::fixed_size ? 1.0 / o.size : inverse / chance;
  for (std::size_t i = 0; i < clients.size(); ++i) switch (o.participation) {
      case Who::full:
        break;
      case Who::bernoulli_inverse:
        presence.own[i] = (1 - o.probability[i]) / o.probability[i];
        break;
      case Who::bernoulli_active:
      case Who::fixed_size:
        presence.own[i] = (b * mean_inverse - 1) * b / (b - 1);
        presence.common = (1 - b * mean_inverse) / (b - 1);
        break;
      case Who::fixed_size_replacement:
        presence.own[i] = total / (o.size * clients[i].rows);
        presence.common = -1.0 / o.size;
        break;
    }
  return presence;
}

// The covariance of rand-k with second moments m of what it compresses.
inline MatrixXd rand_k(const MatrixXd& m, int k) {
  const auto d = static_cast<double>(m.rows());
  if (k >= m.rows()) return MatrixXd::Zero(m.rows(), m.rows());
  MatrixXd result = -(d - k) / (k * (d - 1)) * m;
  result.diagonal() = (d / k - 1) * m.diagonal();
  return result;
}

}  // namespace pollen::plan
