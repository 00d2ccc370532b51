// What one step of a random affine recursion s' = A s + b + noise does to the mean m and the covariance C of s. With E
// for means and Δ for deviations from them,
//   m' = E[A] m + E[b],   C' = E[A] C E[A]ᵀ + Σ p (ΔA C ΔAᵀ + r rᵀ) + noise,   r = ΔA m + Δb.
// All free functions are pure.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <utility>
#include <vector>

#include "outcomes.h"
#include "stats/exact_law.h"

namespace pollen::stats {

struct MomentMap {
  Eigen::MatrixXd mean;                     // n × (n+1): [E[A], E[b]]
  std::vector<Eigen::MatrixXd> deviations;  // n × (n+1): √p [ΔA, Δb]
  Eigen::MatrixXd noise;                    // n × n

  Eigen::Index size() const { return mean.rows(); }
  auto matrix() const { return mean.leftCols(size()); }
  Law next(const Law& law) const;
  Eigen::MatrixXd linear_part(const Eigen::MatrixXd& covariance) const;  // E[A C Aᵀ]
};

MomentMap moment_map(const Phase& phase);
// The map that applies `one` with the given probability and `other` otherwise.
MomentMap mixture(double probability, const MomentMap& one, const MomentMap& other);
// The map that applies the fixed affine map `first`, n × (n+1), and then `second`.
MomentMap then(const Eigen::MatrixXd& first, MomentMap second);

// The mean of equally likely matrices of coefficients, and deviations whose outer products add up to their covariance.
// The deviations are scaled eigenvectors, so there are never more of them than a matrix has entries.
struct Spread {
  Eigen::MatrixXd mean;
  std::vector<Eigen::MatrixXd> deviations;
};
Spread spread_of(const std::vector<Eigen::MatrixXd>& outcomes);

// A vector that is affine in the state is stored as its d × (n+1) matrix of coefficients, with the constant in the last
// column.
struct AffineVectors {
  Eigen::Index d = 0;     // numbers per vector
  Eigen::Index size = 0;  // n, numbers of the state

  Eigen::MatrixXd zero() const { return Eigen::MatrixXd::Zero(d, size + 1); }
  Eigen::MatrixXd block(Eigen::Index first) const;  // the part of the state that begins at `first`
  Eigen::MatrixXd constant(const Eigen::VectorXd& value) const;
};

// Puts together the map of a round in which some clients' messages count. It keeps a reference to the attendances; call
// finish() once, after the last add().
class RoundMap {
 public:
  // Changes a step by a client's message, which counts with a weight that is not 0.
  using AddMessage =
      std::function<void(Eigen::Index client, double weight, const Eigen::MatrixXd& message, Eigen::MatrixXd& step)>;

  RoundMap(Eigen::Index size, const std::vector<Attendance>& attendances, AddMessage add_message);
  // With this probability the step without messages is `base`, and the clients send `messages`. Given that and who
  // takes part, clients are independent, so their deviations add up.
  void add(double probability, const Eigen::MatrixXd& base, const std::vector<Spread>& messages);
  MomentMap finish();

 private:
  const std::vector<Attendance>& attendances_;
  AddMessage add_message_;
  MomentMap map_;
  std::vector<std::pair<double, Eigen::MatrixXd>> steps_;  // each possible step with its probability
};

// The phases of a cycle, in order. A map may appear more than once.
using Cycle = std::vector<const MomentMap*>;

// Returns the stationary law just after each phase. Throws std::domain_error if there is none.
std::vector<Law> stationary(const Cycle& cycle);

}  // namespace pollen::stats
