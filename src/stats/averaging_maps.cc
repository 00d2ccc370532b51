#include "averaging_maps.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <stdexcept>

namespace pollen::stats {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct AveragingMaps::Coefficients {
  VectorXd drift;  // the step is x_i ← x_i - drift_i g_i + noise
  double common;   // variance of the noise that all clients share
  VectorXd own;    // variance of the noise that only client i gets
};

// The coefficients (drift, common, own). FALD: γ, 2γTτ/b, 2γT(1-τ). FA-LD, with p_i = N_i/N: η/p_i, 2ηTρ²,
// 2ηT(1-ρ²)/p_i.
AveragingMaps::Coefficients AveragingMaps::coefficients(double step) const {
  const double heat = 2 * step * options_.temperature, r = options_.correlation;
  if (!options_.by_size)
    return {VectorXd::Constant(b_, step), heat * r / static_cast<double>(b_), VectorXd::Constant(b_, heat * (1 - r))};
  const VectorXd p = sizes_ / sizes_.sum();
  return {step * p.cwiseInverse(), heat * r * r, heat * (1 - r * r) * p.cwiseInverse()};
}

AveragingMaps::AveragingMaps(const QuadraticProblem& problem, const AveragingLawOptions& options)
    : problem_(problem),
      options_(options),
      d_(problem.prior_precision.size()),
      b_(static_cast<Index>(problem.clients.size())),
      control_(options.refresh > 0),
      compressed_(options.up != GradientLawOptions::Compressor::identity),
      memory_(compressed_ && options.memory > 0),
      sizes_(b_),
      kept_(diagonals(options.up, d_, options.k)) {
  using Participation = GradientLawOptions::Participation;
  if (control_ && (options.participation != Participation::full || options.by_size))
    throw std::invalid_argument(
        "control variates: found with clients that may be absent or are weighted by size, accepted: all clients with "
        "equal weights");
  if (compressed_ && options.correlation != 1)
    throw std::invalid_argument(fmt::format("compression: found correlation {}, accepted: 1", options.correlation));
  for (Index i = 0; i < b_; ++i) sizes_(i) = static_cast<double>(terms(i).size());
  GradientLawOptions presence;
  presence.participation = options.participation;
  presence.probability = options.probability;
  presence.size = options.size;
  attendances_ = attendances(presence, sizes_);
}

Index AveragingMaps::size() const { return reference() + (compressed_ ? d_ : 0); }

MatrixXd AveragingMaps::zero() const { return MatrixXd::Zero(d_, size() + 1); }

MatrixXd AveragingMaps::block(Index first) const {
  MatrixXd result = zero();
  result.middleCols(first, d_).setIdentity();
  return result;
}

MatrixXd AveragingMaps::constant(const VectorXd& value) const {
  MatrixXd result = zero();
  result.col(size()) = value;
  return result;
}

MatrixXd AveragingMaps::mean_position() const {
  MatrixXd result = zero();
  for (Index i = 0; i < b_; ++i)
    result += (options_.by_size ? sizes_(i) / sizes_.sum() : 1 / static_cast<double>(b_)) * block(x(i));
  return result;
}

// The gradient estimate (N_i/n) Σ_{j∈S} ∇U_ij + ϖ_i ∇U_0 from the rows S; the prior's part is exact.
MatrixXd AveragingMaps::gradient(Index client, const std::vector<int>& rows, const MatrixXd& at) const {
  MatrixXd result = zero();
  for (const int j : rows) {
    const QuadraticTerm& term = terms(client)[static_cast<std::size_t>(j)];
    result += term.curvature * at - constant(term.shift);
  }
  result *= sizes_(client) / static_cast<double>(rows.size());
  const double share = options_.by_size ? sizes_(client) / sizes_.sum() : 1 / static_cast<double>(b_);
  result += share * problem_.prior_precision.asDiagonal() * at;
  return result;
}

// The gradient that a client's step uses: Ĝ^i or, with control variates, Ĥ^i(x_i) - Ĥ^i(Y) + C with C = (1/b) Σ_j
// ∇U^j(Y).
Spread AveragingMaps::estimate(Index client) const {
  const int total = static_cast<int>(terms(client).size());
  const bool all = options_.batch == 0 || options_.batch >= total;
  MatrixXd control = zero();
  for (Index j = 0; control_ && j < b_; ++j) {
    std::vector<int> rows(terms(j).size());
    std::iota(rows.begin(), rows.end(), 0);
    control += gradient(j, rows, block(y())) / static_cast<double>(b_);
  }
  std::vector<MatrixXd> outcomes;
  for (const auto& rows : subsets(total, all ? total : options_.batch)) {
    outcomes.push_back(gradient(client, rows, block(x(client))));
    if (control_) outcomes.back() += control - gradient(client, rows, block(y()));
  }
  return spread_of(outcomes);
}

MomentMap AveragingMaps::local_step(double step) const {
  const Index n = size();
  const Coefficients c = coefficients(step);
  MomentMap map{MatrixXd::Identity(n, n + 1), {}, MatrixXd::Zero(n, n)};
  for (Index i = 0; i < b_; ++i) {
    const Spread g = estimate(i);
    map.mean.middleRows(x(i), d_) -= c.drift(i) * g.mean;
    for (const MatrixXd& deviation : g.deviations) {
      map.deviations.emplace_back(MatrixXd::Zero(n, n + 1));
      map.deviations.back().middleRows(x(i), d_) = -c.drift(i) * deviation;
    }
    map.noise.block(x(i), x(i), d_, d_).diagonal().array() += c.own(i);
  }
  MatrixXd shared = MatrixXd::Zero(n, d_);
  for (Index i = 0; i < b_; ++i) shared.middleRows(x(i), d_).setIdentity();
  if (compressed_) shared.middleRows(reference(), d_).setIdentity();
  map.noise += c.common * shared * shared.transpose();
  if (control_) add_refresh(map);
  return map;
}

// Adds the refresh of the control variates: with probability q_c, Y' = mean of x, where x is the state before this
// step. The step itself still uses the old Y.
void AveragingMaps::add_refresh(MomentMap& map) const {
  const Index n = size();
  const double q = options_.refresh;
  const MatrixXd change = mean_position() - block(y());
  // This deliberately wrong variant uses Y' in the step already: x' = M(x, Y') in place of M(x, Y).
  if (options_.anchor_at_once) {
    MatrixXd early = MatrixXd::Identity(n, n + 1);
    early.middleRows(y(), d_) += q * change;
    MomentMap coin{early, {MatrixXd::Zero(n, n + 1)}, MatrixXd::Zero(n, n)};
    coin.deviations.front().middleRows(y(), d_) = std::sqrt(q * (1 - q)) * change;
    map = then(coin, map);
    return;
  }
  map.mean.middleRows(y(), d_) += q * change;
  map.deviations.emplace_back(MatrixXd::Zero(n, n + 1));
  map.deviations.back().middleRows(y(), d_) = std::sqrt(q * (1 - q)) * change;
}

Law AveragingMaps::average(const Law& state) const {
  const MatrixXd w = mean_position().leftCols(size());
  return {w * state.mean, w * state.covariance * w.transpose()};
}

Law AveragingMaps::start(const VectorXd& position) const {
  Law law{VectorXd::Zero(size()), MatrixXd::Zero(size(), size())};
  for (Index i = 0; i < b_ + (control_ ? 1 : 0); ++i) law.mean.segment(d_ * i, d_) = position;
  if (compressed_) law.mean.segment(reference(), d_) = position;
  return law;
}

}  // namespace pollen::stats
