// What one step of a random affine recursion s' = A s + b + noise does to the mean and covariance of s. With E for
// means and Δ for deviations from them,
//   m' = E[A] m + E[b],   C' = E[A] C E[A]ᵀ + Σ p (ΔA C ΔAᵀ + r rᵀ) + noise,   r = ΔA m + Δb.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "stats/exact_law.h"

namespace pollen::stats {

struct MomentMap {
  Eigen::MatrixXd mean;                     // n × (n+1): [E[A], E[b]]
  std::vector<Eigen::MatrixXd> deviations;  // n × (n+1): √p [ΔA, Δb]
  Eigen::MatrixXd noise;                    // n × n

  Eigen::Index size() const { return mean.rows(); }
  auto matrix() const { return mean.leftCols(size()); }
  Law next(const Law& law) const;
  Eigen::MatrixXd linear_part(const Eigen::MatrixXd& covariance) const;  // Σ A C Aᵀ
};

MomentMap moment_map(const Phase& phase);
// One or the other, by a coin.
MomentMap mixture(double probability, const MomentMap& one, const MomentMap& other);
// Both, one after the other; the first one without noise.
MomentMap then(const MomentMap& first, const MomentMap& second);

// Equally likely matrices of coefficients: their mean, and deviations whose Gram matrix is their covariance. The latter
// are eigenvectors, so never more than there are entries, however many outcomes there were.
struct Spread {
  Eigen::MatrixXd mean;
  std::vector<Eigen::MatrixXd> deviations;
};
Spread spread_of(const std::vector<Eigen::MatrixXd>& outcomes);

// Phases in order; a map may appear in many of them.
using Cycle = std::vector<const MomentMap*>;

// The law just after each phase. Throws std::domain_error where there is none.
std::vector<Law> stationary(const Cycle& cycle);

}  // namespace pollen::stats
