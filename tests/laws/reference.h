// A plain recursion written from docs/algorithms.md sections 1, 4 and 5, for compressors without a closed law. It
// shares no code and no random numbers with the samplers.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "moments.h"
#include "stats/exact_law.h"

namespace pollen::laws {

template <std::size_t D>
class Reference {
 public:
  using Vector = std::array<double, D>;
  using Random = std::mt19937_64;
  using Compress = std::function<Vector(const Vector&, Random&)>;

  struct Options {
    double step = 0;
    Compress up = {}, down = {};  // if empty, vectors are sent whole
    bool up_feedback = false;     // if false, a memory of rate `memory` is used
    double memory = 0;
    int refresh = 0;  // 0 means whole gradients, otherwise svrg with minibatches of one row
  };

  Reference(const stats::QuadraticProblem& problem, Options options, std::uint64_t seed)
      : options_(std::move(options)), random_(seed) {
    for (std::size_t j = 0; j < D; ++j) prior_[j] = problem.prior_precision(static_cast<Eigen::Index>(j));
    for (const auto& client : problem.clients) {
      clients_.emplace_back();
      for (const auto& term : client.terms) clients_.back().rows.push_back(row_of(term));
    }
  }

  const Vector& position() const { return x_; }

  void round() {
    if (options_.refresh > 0 && k_ % options_.refresh == 0) zeta_ = x_;
    if (!options_.down || k_ == 0)
      w_ = x_;
    else
      add(options_.down(minus(x_, w_), random_), 1, w_);
    Vector g{};
    for (std::size_t j = 0; j < D; ++j) g[j] = prior_[j] * x_[j];
    for (Client& client : clients_) {
      const Vector change = minus(estimate(client), client.memory);
      const bool whole = !options_.up || (options_.up_feedback && k_ == 0);
      const Vector sent = whole ? change : options_.up(change, random_);
      add(client.memory, 1, g);
      add(sent, 1, g);
      add(sent, options_.up_feedback ? 1.0 : options_.memory, client.memory);
    }
    for (std::size_t j = 0; j < D; ++j)
      x_[j] += -options_.step * g[j] + std::sqrt(2 * options_.step) * normal_(random_);
    ++k_;
  }

 private:
  struct Row {
    std::array<Vector, D> curvature;
    Vector shift;
  };
  struct Client {
    std::vector<Row> rows;
    Vector memory{};
  };

  static Row row_of(const stats::QuadraticTerm& term) {
    Row row{};
    for (std::size_t i = 0; i < D; ++i) {
      row.shift[i] = term.shift(static_cast<Eigen::Index>(i));
      for (std::size_t j = 0; j < D; ++j)
        row.curvature[i][j] = term.curvature(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
    }
    return row;
  }
  static Vector minus(Vector a, const Vector& b) {
    for (std::size_t j = 0; j < D; ++j) a[j] -= b[j];
    return a;
  }
  static void add(const Vector& v, double factor, Vector& to) {
    for (std::size_t j = 0; j < D; ++j) to[j] += factor * v[j];
  }
  static void add_gradient(const Row& row, const Vector& at, double factor, Vector& to) {
    for (std::size_t i = 0; i < D; ++i) {
      double sum = -row.shift[i];
      for (std::size_t j = 0; j < D; ++j) sum += row.curvature[i][j] * at[j];
      to[i] += factor * sum;
    }
  }

  Vector estimate(const Client& client) {
    const Vector& at = options_.refresh > 0 ? zeta_ : w_;
    Vector result{};
    for (const Row& row : client.rows) add_gradient(row, at, 1, result);
    if (options_.refresh == 0) return result;
    std::uniform_int_distribution<std::size_t> pick(0, client.rows.size() - 1);
    const Row& row = client.rows[pick(random_)];
    const auto rows = static_cast<double>(client.rows.size());
    add_gradient(row, w_, rows, result);
    add_gradient(row, zeta_, -rows, result);
    return result;
  }

  Options options_;
  Random random_;
  std::normal_distribution<double> normal_;
  Vector prior_{}, x_{}, w_{}, zeta_{};
  std::vector<Client> clients_;
  int k_ = 0;
};

// Returns moments of 64 chains; [p] has those of the states after rounds k ≡ p mod phases.
template <std::size_t D>
std::vector<Estimate> reference_moments(const stats::QuadraticProblem& problem,
                                        const typename Reference<D>::Options& options, int iterations, int phases = 1) {
  const auto period = static_cast<std::size_t>(phases);
  std::vector<Moments> moments(period, Moments(problem.target().mean));
  Eigen::VectorXd state(static_cast<Eigen::Index>(D));
  for (int chain = 0; chain < 64; ++chain) {
    Reference<D> reference(problem, options, 1000 + static_cast<std::uint64_t>(chain));
    for (int k = 0; k < 300 + iterations; ++k) {
      reference.round();
      if (k < 300) continue;
      for (std::size_t j = 0; j < D; ++j) state(static_cast<Eigen::Index>(j)) = reference.position()[j];
      moments[static_cast<std::size_t>(k) % period].add(chain, state);
    }
  }
  std::vector<Estimate> result;
  for (const Moments& m : moments) result.push_back(m.estimate());
  return result;
}

}  // namespace pollen::laws
