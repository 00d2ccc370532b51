// The gradient family and ELF as random affine recursions (docs/algorithms.md sections 1 to 5, equations quoted below).
//
// The state is s = (θ; η^1..η^b with memory or error feedback; w with downlink feedback; ζ with svrg).
#include <fmt/format.h>

#include <stdexcept>

#include "moment_map.h"

namespace pollen::stats {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Oracle = GradientLawOptions::Oracle;

class Recursion {
 public:
  Recursion(const QuadraticProblem& problem, const GradientLawOptions& options)
      : problem_(problem),
        options_(options),
        clients_(static_cast<Index>(problem.clients.size())),
        memory_rate_(options.error_feedback ? 1.0 : options.memory.value_or(0.0)),
        memory_(memory_rate_ > 0),
        feedback_(options.down_feedback),
        anchor_(options.oracle == Oracle::svrg) {
    if (!(options.step > 0))
      throw std::invalid_argument(fmt::format("step: found {}, accepted: above 0", options.step));
    const Index d = problem.prior_precision.size();
    at_ = {d, d * (1 + (memory_ ? clients_ : 0) + (feedback_ ? 1 : 0) + (anchor_ ? 1 : 0))};
    if (anchor_ && (feedback_ || options.down != GradientLawOptions::Compressor::identity))
      throw std::invalid_argument(
          "svrg: found a compressed broadcast, accepted: an exact one, because clients take their anchor from it");
    if (options.oracle == Oracle::fixed_point && options.anchor.size() != d)
      throw std::invalid_argument(fmt::format(
          "fixed point: found an anchor of dimension {}, accepted: {}, as the problem has", options.anchor.size(), d));
    up_ = diagonals(options.up, d, options.k);
    down_ = diagonals(options.down, d, options.down_k);
    attendances_ = attendances(options, client_sizes(problem));
    const auto rounds = static_cast<double>(down_.size() * attendances_.size());
    check_enumerable(rounds, "rounds");
    // This second check limits the memory that the enumerated rounds take.
    check_enumerable(rounds * static_cast<double>(at_.size * at_.size) / 200,
                     "rounds, weighted by the size of the state");
  }

  Index dimension() const { return at_.d; }

  MomentMap round(bool refresh) const {
    RoundMap map(at_.size, attendances_, [&](Index client, double weight, const MatrixXd& message, MatrixXd& step) {
      step.topRows(at_.d) -= options_.step * (options_.error_feedback ? 1.0 : weight) * message;
      if (memory_) step.middleRows(at_eta(client), at_.d) += memory_rate_ * message;
    });
    const MatrixXd theta = at_.block(0), known = feedback_ ? at_.block(at_w()) : at_.zero();
    const MatrixXd anchor = !anchor_ ? at_.zero() : refresh ? theta : at_.block(at_zeta());
    for (const VectorXd& kept : down_) {
      const MatrixXd y = known + kept.asDiagonal() * (theta - known);  // w_k = w_{k-1} + Q(θ_k - w_{k-1})
      std::vector<Spread> messages;
      for (Index i = 0; i < clients_; ++i) messages.push_back(message(i, y, anchor));
      map.add(1 / static_cast<double>(down_.size()), before_messages(y, anchor), messages);
    }
    MomentMap result = map.finish();
    result.noise.topLeftCorner(at_.d, at_.d).diagonal().setConstant(2 * options_.step * options_.temperature);
    return result;
  }

 private:
  // These functions return at which index of the state a part of it begins.
  Index at_eta(Index client) const { return at_.d * (1 + client); }
  Index at_w() const { return at_.d * (1 + (memory_ ? clients_ : 0)); }
  Index at_zeta() const { return at_w() + (feedback_ ? at_.d : 0); }

  MatrixXd gradient(Index client, const MatrixXd& point) const {
    MatrixXd result = at_.zero();
    for (const QuadraticTerm& term : terms_of(problem_, client))
      result += term.curvature * point - at_.constant(term.shift);
    return result;
  }

  // The oracle of docs/algorithms.md section 1: (N/n) Σ_{j∈S} [∇U_j(y) - ∇U_j(anchor)], plus ∇U_i(ζ) for svrg. The
  // anchor's constants cancel.
  MatrixXd oracle(Index client, const std::vector<int>& rows, const MatrixXd& y, const MatrixXd& zeta) const {
    MatrixXd result = at_.zero();
    const bool plain = options_.oracle == Oracle::full || options_.oracle == Oracle::minibatch;
    const MatrixXd anchor = anchor_ ? zeta : plain ? at_.zero() : at_.constant(options_.anchor);
    for (const int j : rows) {
      const QuadraticTerm& term = terms_of(problem_, client)[static_cast<std::size_t>(j)];
      result += term.curvature * (y - anchor);
      if (plain) result -= at_.constant(term.shift);
    }
    result *= static_cast<double>(terms_of(problem_, client).size()) /
              static_cast<double>(std::max<std::size_t>(rows.size(), 1));
    if (anchor_) result += gradient(client, zeta);
    return result;
  }

  // A client's message C(H_i - η^i), over the client's own randomness.
  Spread message(Index client, const MatrixXd& y, const MatrixXd& zeta) const {
    const int total = static_cast<int>(terms_of(problem_, client).size());
    const bool all = options_.oracle == Oracle::full || options_.batch == 0 || options_.batch >= total;
    const auto batches = subsets(total, all ? total : options_.batch);
    check_enumerable(static_cast<double>(batches.size()) * static_cast<double>(up_.size()), "a client's messages");
    const MatrixXd known = memory_ ? at_.block(at_eta(client)) : at_.zero();
    std::vector<MatrixXd> outcomes;
    for (const auto& batch : batches) {
      const MatrixXd difference = oracle(client, batch, y, zeta) - known;
      for (const VectorXd& kept : up_) outcomes.emplace_back(kept.asDiagonal() * difference);
    }
    return spread_of(outcomes);
  }

  // The step without the clients' messages: θ - γ(Σ η^i + ∇U_0(θ)), where the fixed-point oracle adds Σ ∇U_i(θ̂) to the
  // drift.
  MatrixXd before_messages(const MatrixXd& y, const MatrixXd& zeta) const {
    const Index d = at_.d, n = at_.size;
    MatrixXd step = MatrixXd::Identity(n, n + 1);
    MatrixXd drift = problem_.prior_curvature() * at_.block(0) - at_.constant(problem_.prior_pull());
    for (Index i = 0; i < clients_; ++i) {
      if (memory_) drift += at_.block(at_eta(i));
      if (options_.oracle == Oracle::fixed_point) drift += gradient(i, at_.constant(options_.anchor));
    }
    step.topRows(d) -= options_.step * drift;
    if (feedback_) step.middleRows(at_w(), d) = y;
    if (anchor_) step.middleRows(at_zeta(), d) = zeta;
    return step;
  }

  const QuadraticProblem& problem_;
  const GradientLawOptions& options_;
  Index clients_;
  double memory_rate_;
  bool memory_, feedback_, anchor_;  // which optional parts the state has
  AffineVectors at_;
  std::vector<VectorXd> up_, down_;
  std::vector<Attendance> attendances_;
};

}  // namespace

std::vector<Law> gradient_family_law(const QuadraticProblem& problem, const GradientLawOptions& options) {
  const Recursion recursion(problem, options);
  const bool periodic = options.oracle == Oracle::svrg;
  if (periodic && options.refresh < 1)
    throw std::invalid_argument(fmt::format("refresh: found {}, accepted: at least 1", options.refresh));
  const int plain_rounds = periodic ? options.refresh - 1 : 0;
  const MomentMap first = recursion.round(true);
  const MomentMap plain = plain_rounds > 0 ? recursion.round(false) : MomentMap{};
  Cycle cycle{&first};
  cycle.insert(cycle.end(), static_cast<std::size_t>(plain_rounds), &plain);
  std::vector<Law> laws = stationary(cycle);
  const Index d = recursion.dimension();
  for (Law& law : laws) law = {law.mean.head(d).eval(), law.covariance.topLeftCorner(d, d).eval()};
  return laws;
}

}  // namespace pollen::stats
