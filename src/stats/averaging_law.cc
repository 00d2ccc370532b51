// The averaging family as random affine recursions, and its laws at communication rounds: stationary, or from a given
// start (docs/algorithms.md section 6).
//
// An iteration has two halves: the local step of every client, and the exchange that moves all clients to the average.
// The state is s = (x_1..x_b; Y with control variates; h_1..h_b with a memory; ref with compression), where ref is the
// last average plus the common noise since then. C is affine in Y, so it needs no place in the state.
#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <stdexcept>

#include "moment_map.h"

namespace pollen::stats {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Participation = GradientLawOptions::Participation;

void check(const AveragingLawOptions& o) {
  if (!(o.step > 0)) throw std::invalid_argument(fmt::format("step: found {}, accepted: above 0", o.step));
  if (!(o.correlation >= 0 && o.correlation <= 1))
    throw std::invalid_argument(fmt::format("correlation: found {}, accepted: 0 to 1", o.correlation));
  if (o.steps < 1) throw std::invalid_argument(fmt::format("steps: found {}, accepted: at least 1", o.steps));
  if (!(o.communicate >= 0 && o.communicate <= 1))
    throw std::invalid_argument(fmt::format("communicate: found {}, accepted: 0 to 1", o.communicate));
}

class AveragingMaps {
 public:
  AveragingMaps(const QuadraticProblem& problem, const AveragingLawOptions& options)
      : problem_(problem),
        options_(options),
        d_(problem.prior_precision.size()),
        b_(static_cast<Index>(problem.clients.size())),
        control_(options.refresh > 0),
        compressed_(options.up != GradientLawOptions::Compressor::identity),
        memory_(compressed_ && options.memory > 0),
        at_{d_, reference() + (compressed_ ? d_ : 0)},
        sizes_(client_sizes(problem)),
        equal_(VectorXd::Constant(b_, 1 / static_cast<double>(b_))),
        weight_(options.by_size ? VectorXd(sizes_ / sizes_.sum()) : equal_),
        kept_(diagonals(options.up, d_, options.k)) {
    check(options);
    if (control_ && (options.participation != Participation::full || options.by_size))
      throw std::invalid_argument(
          "control variates: found with clients that may be absent or are weighted by size, accepted: all clients with "
          "equal weights");
    if (compressed_ && options.correlation != 1)
      throw std::invalid_argument(fmt::format("compression: found correlation {}, accepted: 1", options.correlation));
    GradientLawOptions presence;
    presence.participation = options.participation;
    presence.probability = options.probability;
    presence.size = options.size;
    attendances_ = attendances(presence, sizes_);
    // The weights are those of docs/algorithms.md section 3 for averages: 1/b or N_c/N; m_c/S under scheme I; 1/S under
    // scheme II; 1/|A| over the active clients.
    const VectorXd& base = options.participation == Participation::fixed_size ? equal_ : weight_;
    for (Attendance& attendance : attendances_) attendance.weight = attendance.weight.cwiseProduct(base).eval();
  }

  // One local step of every client, with the coin toss for a refresh, if there is one.
  MomentMap local_step(double step) const {
    const Index n = at_.size;
    const Coefficients c = coefficients(step);
    MomentMap map{MatrixXd::Identity(n, n + 1), {}, MatrixXd::Zero(n, n)};
    for (Index i = 0; i < b_; ++i) {
      const Spread g = estimate(i);
      map.mean.middleRows(x(i), d_) -= c.drift(i) * g.mean;
      for (const MatrixXd& deviation : g.deviations) map.deviations.push_back(only_rows(x(i), -c.drift(i) * deviation));
      map.noise.block(x(i), x(i), d_, d_).diagonal().array() += c.own(i);
    }
    MatrixXd shared = MatrixXd::Zero(n, d_);
    for (Index i = 0; i < b_; ++i) shared.middleRows(x(i), d_).setIdentity();
    if (compressed_) shared.middleRows(reference(), d_).setIdentity();
    map.noise += c.common * shared * shared.transpose();
    return control_ ? with_refresh(map) : map;
  }

  // The samplers draw who takes part before the local steps. Drawing it in the exchange gives the same law, because the
  // local steps of absent clients are discarded.
  MomentMap exchange() const {
    RoundMap map(at_.size, attendances_, [&](Index client, double weight, const MatrixXd& message, MatrixXd& step) {
      for (Index i = 0; i < b_; ++i) step.middleRows(x(i), d_) += weight * message;
      if (compressed_) step.middleRows(reference(), d_) += weight * message;
      if (memory_) step.middleRows(h(client), d_) += options_.memory * message;
    });
    std::vector<Spread> messages;
    for (Index i = 0; i < b_; ++i) messages.push_back(message(i));
    map.add(1, before_messages(), messages);
    return map.finish();
  }

  MomentMap exchange_or_not(double probability) const {
    const MomentMap stay{MatrixXd::Identity(at_.size, at_.size + 1), {}, MatrixXd::Zero(at_.size, at_.size)};
    return mixture(probability, exchange(), stay);
  }

  // The law of Σ w_i x_i.
  Law average(const Law& state) const {
    const MatrixXd w = mean_position().leftCols(at_.size);
    return {w * state.mean, w * state.covariance * w.transpose()};
  }

  // The law in which all x_i and Y are at `position`.
  Law start(const VectorXd& position) const {
    Law law{VectorXd::Zero(at_.size), MatrixXd::Zero(at_.size, at_.size)};
    for (Index i = 0; i < b_ + (control_ ? 1 : 0); ++i) law.mean.segment(d_ * i, d_) = position;
    if (compressed_) law.mean.segment(reference(), d_) = position;
    return law;
  }

 private:
  // These functions return at which index of the state a part of it begins.
  Index x(Index client) const { return d_ * client; }
  Index y() const { return d_ * b_; }
  Index h(Index client) const { return d_ * (b_ + (control_ ? 1 : 0) + client); }
  Index reference() const { return h(memory_ ? b_ : 0); }

  struct Coefficients {
    VectorXd drift;  // the step is x_i ← x_i - drift_i g_i + noise
    double common;   // variance of the noise that all clients share
    VectorXd own;    // variance of the noise that only client i gets
  };

  // The coefficients (drift, common, own). FALD: γ, 2γTτ/b, 2γT(1-τ). FA-LD, with p_i = N_i/N: η/p_i, 2ηTρ²,
  // 2ηT(1-ρ²)/p_i.
  Coefficients coefficients(double step) const {
    const double heat = 2 * step * options_.temperature, r = options_.correlation;
    if (!options_.by_size)
      return {VectorXd::Constant(b_, step), heat * r / static_cast<double>(b_), VectorXd::Constant(b_, heat * (1 - r))};
    return {step * weight_.cwiseInverse(), heat * r * r, heat * (1 - r * r) * weight_.cwiseInverse()};
  }

  // A change of the state in d rows, from `first` on.
  MatrixXd only_rows(Index first, const MatrixXd& change) const {
    MatrixXd result = MatrixXd::Zero(at_.size, at_.size + 1);
    result.middleRows(first, d_) = change;
    return result;
  }

  MatrixXd mean_position() const {
    MatrixXd result = at_.zero();
    for (Index i = 0; i < b_; ++i) result += weight_(i) * at_.block(x(i));
    return result;
  }

  // The gradient estimate (N_i/n) Σ_{j∈S} ∇U_ij + ϖ_i ∇U_0 from the rows S; the prior's part is exact.
  MatrixXd gradient(Index client, const std::vector<int>& rows, const MatrixXd& at) const {
    MatrixXd result = at_.zero();
    for (const int j : rows) {
      const QuadraticTerm& term = terms_of(problem_, client)[static_cast<std::size_t>(j)];
      result += term.curvature * at - at_.constant(term.shift);
    }
    result *= static_cast<double>(terms_of(problem_, client).size()) / static_cast<double>(rows.size());
    result += weight_(client) * (problem_.prior_curvature() * at - at_.constant(problem_.prior_pull()));
    return result;
  }

  // The gradient that a client's step uses: Ĝ^i or, with control variates, Ĥ^i(x_i) - Ĥ^i(Y) + C with C = (1/b) Σ_j
  // ∇U^j(Y).
  Spread estimate(Index client) const {
    const int total = static_cast<int>(terms_of(problem_, client).size());
    const bool all = options_.batch == 0 || options_.batch >= total;
    MatrixXd control = at_.zero();
    for (Index j = 0; control_ && j < b_; ++j) {
      std::vector<int> rows(terms_of(problem_, j).size());
      std::iota(rows.begin(), rows.end(), 0);
      control += gradient(j, rows, at_.block(y())) / static_cast<double>(b_);
    }
    std::vector<MatrixXd> outcomes;
    for (const auto& rows : subsets(total, all ? total : options_.batch)) {
      outcomes.push_back(gradient(client, rows, at_.block(x(client))));
      if (control_) outcomes.back() += control - gradient(client, rows, at_.block(y()));
    }
    return spread_of(outcomes);
  }

  // Adds the refresh of the control variates: with probability q_c, Y' = mean of x, where x is the state before this
  // step. The step itself still uses the old Y.
  MomentMap with_refresh(MomentMap map) const {
    const double q = options_.refresh;
    // This deliberately wrong variant uses Y' in the step already: x' = M(x, Y') in place of M(x, Y).
    if (options_.anchor_at_once) {
      MatrixXd renewed = MatrixXd::Identity(at_.size, at_.size + 1);
      renewed.middleRows(y(), d_) = mean_position();
      return mixture(q, then(renewed, map), map);
    }
    const MatrixXd change = mean_position() - at_.block(y());
    map.mean.middleRows(y(), d_) += q * change;
    map.deviations.push_back(only_rows(y(), std::sqrt(q * (1 - q)) * change));
    return map;
  }

  // The message of a client: x_i, or C(x_i - ref - h_i) with compression.
  Spread message(Index client) const {
    if (!compressed_) return {at_.block(x(client)), {}};
    const MatrixXd known = memory_ ? at_.block(h(client)) : at_.zero();
    const MatrixXd change = at_.block(x(client)) - at_.block(reference()) - known;
    std::vector<MatrixXd> outcomes;
    for (const VectorXd& kept : kept_) outcomes.emplace_back(kept.asDiagonal() * change);
    return spread_of(outcomes);
  }

  // The exchange without its messages. Positions start from zero, or from ref + Σ w_i h_i with compression; Y and h
  // stay unchanged.
  MatrixXd before_messages() const {
    MatrixXd step = MatrixXd::Identity(at_.size, at_.size + 1);
    MatrixXd known = at_.zero();
    if (compressed_) {
      known = at_.block(reference());
      for (Index i = 0; memory_ && i < b_; ++i) known += weight_(i) * at_.block(h(i));
      step.middleRows(reference(), d_) = known;
    }
    for (Index i = 0; i < b_; ++i) step.middleRows(x(i), d_) = known;
    return step;
  }

  const QuadraticProblem& problem_;
  const AveragingLawOptions& options_;
  Index d_, b_;
  bool control_, compressed_, memory_;
  AffineVectors at_;
  VectorXd sizes_;
  VectorXd equal_, weight_;     // 1/b, and w_i: 1/b or N_i/N
  std::vector<VectorXd> kept_;  // the diagonals that the compressor can draw
  std::vector<Attendance> attendances_;
};

}  // namespace

// With p_c, the chain of all iterations is stationary, and the coin that ends a segment is independent of the state.
// Hence the law at communication rounds is the stationary law after one more local step and an exchange.
std::vector<Law> averaging_family_law(const QuadraticProblem& problem, const AveragingLawOptions& options) {
  const AveragingMaps maps(problem, options);
  const MomentMap step = maps.local_step(options.step), exchange = maps.exchange();
  if (options.communicate > 0) {
    const MomentMap coin = maps.exchange_or_not(options.communicate);
    const std::vector<Law> laws = stationary(Cycle{&step, &coin});
    return {maps.average(exchange.next(laws[0])), maps.average(laws[1])};
  }
  Cycle cycle(static_cast<std::size_t>(options.steps), &step);
  cycle.push_back(&exchange);
  const std::vector<Law> laws = stationary(cycle);
  std::vector<Law> result = {maps.average(laws.back())};
  for (std::size_t k = 0; k + 2 < laws.size(); ++k) result.push_back(maps.average(laws[k]));
  return result;
}

std::vector<Law> averaging_family_path(const QuadraticProblem& problem, const AveragingLawOptions& options,
                                       const Eigen::VectorXd& start, int rounds,
                                       const std::function<double(int)>& step_at) {
  const AveragingMaps maps(problem, options);
  const MomentMap exchange = maps.exchange();
  Law law = maps.start(start);
  std::vector<Law> result;
  for (int round = 0, k = 0; round < rounds; ++round) {
    for (int s = 0; s < options.steps; ++s, ++k) law = maps.local_step(step_at(k)).next(law);
    law = exchange.next(law);
    result.push_back(maps.average(law));
  }
  return result;
}

}  // namespace pollen::stats
