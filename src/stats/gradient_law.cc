// The gradient family and ELF as random affine recursions (docs/algorithms.md sections 1 to 5, equations quoted below).
//
// The state is s = (θ; η^1..η^b with memory or error feedback; w with downlink feedback; ζ with svrg). A vector that is
// affine in s is stored as its d × (n+1) matrix of coefficients, with the constant in the last column.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <stdexcept>
#include <utility>

#include "moment_map.h"
#include "outcomes.h"

namespace pollen::stats {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Oracle = GradientLawOptions::Oracle;

struct Layout {
  Index d = 0, clients = 0;
  bool memory = false, feedback = false, anchor = false;
  Index size() const { return d * (1 + (memory ? clients : 0) + (feedback ? 1 : 0) + (anchor ? 1 : 0)); }
  Index eta(Index i) const { return d * (1 + i); }
  Index w() const { return d * (1 + (memory ? clients : 0)); }
  Index zeta() const { return w() + (feedback ? d : 0); }
  MatrixXd zero() const { return MatrixXd::Zero(d, size() + 1); }
  MatrixXd block(Index start) const {
    MatrixXd result = zero();
    result.middleCols(start, d).setIdentity();
    return result;
  }
  MatrixXd constant(const VectorXd& value) const {
    MatrixXd result = zero();
    result.col(size()) = value;
    return result;
  }
};

class Recursion {
 public:
  Recursion(const QuadraticProblem& problem, const GradientLawOptions& options);
  MomentMap round(bool refresh) const;
  const Layout& layout() const { return at_; }

 private:
  MatrixXd gradient(Index client, const MatrixXd& point) const;
  MatrixXd oracle(Index client, const std::vector<int>& rows, const MatrixXd& y, const MatrixXd& zeta) const;
  Spread message(Index client, const MatrixXd& y, const MatrixXd& zeta) const;
  MatrixXd skeleton(const MatrixXd& y, const MatrixXd& zeta) const;
  void add_message(Index client, double weight, const MatrixXd& message, MatrixXd& step) const;
  void add_spread(Index client, double weight, double probability, const Spread& message, MomentMap& map) const;

  const QuadraticProblem& problem_;
  const GradientLawOptions& options_;
  Layout at_;
  double memory_rate_ = 0;
  std::vector<VectorXd> up_, down_;
  std::vector<Attendance> attendances_;
};

const std::vector<QuadraticTerm>& terms(const QuadraticProblem& problem, Index client) {
  return problem.clients[static_cast<std::size_t>(client)].terms;
}

Recursion::Recursion(const QuadraticProblem& problem, const GradientLawOptions& options)
    : problem_(problem), options_(options) {
  if (!(options.step > 0)) throw std::invalid_argument(fmt::format("step: found {}, accepted: above 0", options.step));
  memory_rate_ = options.error_feedback ? 1.0 : options.memory.value_or(0.0);
  at_.d = problem.prior_precision.size();
  at_.clients = static_cast<Index>(problem.clients.size());
  at_.memory = memory_rate_ > 0;
  at_.feedback = options.down_feedback;
  at_.anchor = options.oracle == Oracle::svrg;
  if (at_.anchor && (options.down_feedback || options.down != GradientLawOptions::Compressor::identity))
    throw std::invalid_argument(
        "svrg: found a compressed broadcast, accepted: an exact one, because clients take their anchor from it");
  if (options.oracle == Oracle::fixed_point && options.anchor.size() != at_.d)
    throw std::invalid_argument(
        fmt::format("fixed point: found an anchor of dimension {}, accepted: {}, as the problem has",
                    options.anchor.size(), at_.d));
  VectorXd sizes(at_.clients);
  for (Index i = 0; i < at_.clients; ++i) sizes(i) = static_cast<double>(terms(problem, i).size());
  up_ = diagonals(options.up, at_.d, options.k);
  down_ = diagonals(options.down, at_.d, options.down_k);
  attendances_ = attendances(options, sizes);
  const auto rounds = static_cast<double>(down_.size() * attendances_.size());
  check_enumerable(rounds, "rounds");
  // This second check limits the memory that the enumerated rounds take.
  check_enumerable(rounds * static_cast<double>(at_.size() * at_.size()) / 200,
                   "rounds, weighted by the size of the state");
}

MatrixXd Recursion::gradient(Index client, const MatrixXd& point) const {
  MatrixXd result = at_.zero();
  for (const QuadraticTerm& term : terms(problem_, client)) result += term.curvature * point - at_.constant(term.shift);
  return result;
}

// The oracle of docs/algorithms.md section 1: (N/n) Σ_{j∈S} [∇U_j(y) - ∇U_j(anchor)], plus ∇U_i(ζ) for svrg. The
// anchor's constants cancel.
MatrixXd Recursion::oracle(Index client, const std::vector<int>& rows, const MatrixXd& y, const MatrixXd& zeta) const {
  MatrixXd result = at_.zero();
  const bool plain = options_.oracle == Oracle::full || options_.oracle == Oracle::minibatch;
  const MatrixXd anchor = at_.anchor ? zeta : plain ? at_.zero() : at_.constant(options_.anchor);
  for (const int j : rows) {
    const QuadraticTerm& term = terms(problem_, client)[static_cast<std::size_t>(j)];
    result += term.curvature * (y - anchor);
    if (plain) result -= at_.constant(term.shift);
  }
  result *=
      static_cast<double>(terms(problem_, client).size()) / static_cast<double>(std::max<std::size_t>(rows.size(), 1));
  if (at_.anchor) result += gradient(client, zeta);
  return result;
}

// A client's message C(H_i - η^i), over the client's own randomness.
Spread Recursion::message(Index client, const MatrixXd& y, const MatrixXd& zeta) const {
  const int total = static_cast<int>(terms(problem_, client).size());
  const bool all = options_.oracle == Oracle::full || options_.batch == 0 || options_.batch >= total;
  const auto batches = subsets(total, all ? total : options_.batch);
  check_enumerable(static_cast<double>(batches.size()) * static_cast<double>(up_.size()), "a client's messages");
  const MatrixXd known = at_.memory ? at_.block(at_.eta(client)) : at_.zero();
  std::vector<MatrixXd> outcomes;
  for (const auto& batch : batches) {
    const MatrixXd difference = oracle(client, batch, y, zeta) - known;
    for (const VectorXd& kept : up_) outcomes.emplace_back(kept.asDiagonal() * difference);
  }
  return spread_of(outcomes);
}

// The step without the clients' messages: θ - γ(Σ η^i + ∇U_0(θ)), where the fixed-point oracle adds Σ ∇U_i(θ̂) to the
// drift.
MatrixXd Recursion::skeleton(const MatrixXd& y, const MatrixXd& zeta) const {
  const Index d = at_.d, n = at_.size();
  MatrixXd step = MatrixXd::Identity(n, n + 1);
  MatrixXd drift = problem_.prior_precision.asDiagonal() * at_.block(0);
  for (Index i = 0; i < at_.clients; ++i) {
    if (at_.memory) drift += at_.block(at_.eta(i));
    if (options_.oracle == Oracle::fixed_point) drift += gradient(i, at_.constant(options_.anchor));
  }
  step.topRows(d) -= options_.step * drift;
  if (at_.feedback) step.middleRows(at_.w(), d) = y;
  if (at_.anchor) step.middleRows(at_.zeta(), d) = zeta;
  return step;
}

void Recursion::add_message(Index client, double weight, const MatrixXd& message, MatrixXd& step) const {
  if (weight == 0) return;
  step.topRows(at_.d) -= options_.step * (options_.error_feedback ? 1.0 : weight) * message;
  if (at_.memory) step.middleRows(at_.eta(client), at_.d) += memory_rate_ * message;
}

void Recursion::add_spread(Index client, double weight, double probability, const Spread& message,
                           MomentMap& map) const {
  for (const MatrixXd& deviation : message.deviations) {
    MatrixXd step = MatrixXd::Zero(at_.size(), at_.size() + 1);
    add_message(client, weight, deviation, step);
    map.deviations.push_back(std::sqrt(probability) * step);
  }
}

// One round. Given who takes part and which coordinates the broadcast keeps, clients are independent, so their
// deviations add up.
MomentMap Recursion::round(bool refresh) const {
  const Index n = at_.size();
  MomentMap map{MatrixXd::Zero(n, n + 1), {}, MatrixXd::Zero(n, n)};
  map.noise.topLeftCorner(at_.d, at_.d).diagonal().setConstant(2 * options_.step * options_.temperature);
  const MatrixXd theta = at_.block(0), known = at_.feedback ? at_.block(at_.w()) : at_.zero();
  const MatrixXd zeta = !at_.anchor ? at_.zero() : refresh ? theta : at_.block(at_.zeta());
  std::vector<std::pair<double, MatrixXd>> steps;
  for (const VectorXd& kept : down_) {
    const double chance = 1 / static_cast<double>(down_.size());
    const MatrixXd y = known + kept.asDiagonal() * (theta - known);  // w_k = w_{k-1} + Q(θ_k - w_{k-1})
    std::vector<Spread> messages;
    for (Index i = 0; i < at_.clients; ++i) messages.push_back(message(i, y, zeta));
    std::map<std::pair<Index, double>, double> weights;  // (client, weight) → probability
    const MatrixXd base = skeleton(y, zeta);
    for (const Attendance& attendance : attendances_) {
      MatrixXd step = base;
      for (Index i = 0; i < at_.clients; ++i) {
        add_message(i, attendance.weight(i), messages[static_cast<std::size_t>(i)].mean, step);
        weights[{i, attendance.weight(i)}] += chance * attendance.probability;
      }
      map.mean += chance * attendance.probability * step;
      steps.emplace_back(chance * attendance.probability, std::move(step));
    }
    for (const auto& [key, probability] : weights)
      if (key.second != 0)
        add_spread(key.first, key.second, probability, messages[static_cast<std::size_t>(key.first)], map);
  }
  if (steps.size() == 1) return map;
  for (const auto& [probability, step] : steps) map.deviations.push_back(std::sqrt(probability) * (step - map.mean));
  return map;
}

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
  const Index d = recursion.layout().d;
  for (Law& law : laws) law = {law.mean.head(d).eval(), law.covariance.topLeftCorner(d, d).eval()};
  return laws;
}

}  // namespace pollen::stats
