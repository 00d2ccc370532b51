// The linear mixed model in closed form: likelihood, gradient, maximum, posteriors of the random effects.
//
// Client i has rows (a, b, y): y = A_i φ + B_i z_i + e, e ~ N(0, s² I), z_i ~ N(μ, diag(σ²)). With z_i integrated out,
// y ~ N(A_i φ + B_i μ, B_i diag(σ²) B_i' + s² I). Written from these formulas, not from the samplers tested against
// them.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "stats/exact_law.h"

namespace pollen::stats {

struct MixedClient {
  Eigen::MatrixXd fixed;   // A_i: rows × p; may stay empty when p = 0
  Eigen::MatrixXd random;  // B_i: rows × d, d at least 1
  Eigen::VectorXd y;
};

// A point, or a gradient by its entries.
struct MixedParameters {
  Eigen::VectorXd phi;     // φ: p, maybe 0
  Eigen::VectorXd mean;    // μ: d
  Eigen::VectorXd log_sd;  // log σ: d, all equal in a model with one σ
  double log_noise = 0;    // log s
};

// All below throw std::invalid_argument where shapes do not fit.

// log p(y | φ, μ, σ, s) over all clients, constants included, and its gradient.
double mixed_log_likelihood(const std::vector<MixedClient>& clients, const MixedParameters& parameters);
MixedParameters mixed_gradient(const std::vector<MixedClient>& clients, const MixedParameters& parameters);

// The law of z_i given the client's rows.
Law mixed_posterior(const MixedClient& client, const MixedParameters& parameters);

struct MixedMleOptions {
  bool scalar_sd = false;  // one σ for all coordinates
  bool fix_noise = false;  // log_noise is start's
};
// Maximum likelihood from `start`: EM, then Newton, until every entry of the gradient times about a standard error of
// that entry is below 1e-9. Where the maximum is at σ_k = 0, log_sd comes back as far down as that rule goes. Throws
// std::invalid_argument where the columns of (A, B) are linearly dependent over all clients, std::domain_error where no
// maximum is found.
MixedParameters mixed_mle(const std::vector<MixedClient>& clients, const MixedParameters& start,
                          const MixedMleOptions& options = {});

// Random intercepts alone (B a column of ones): E[z_i | y] = μ + weight (mean of y - A φ over the rows - μ). This
// weight.
double shrinkage(Eigen::Index rows, double sd, double noise_sd);

// Expected scores of one client's complete data when z_i follows unadjusted Langevin, z ← z + γ ∇log p(z | y) + √(2γ)
// ξ, in its stationary law N(m_i, (Q_i - γ Q_i²/2)⁻¹) at fixed parameters; m_i, Q_i⁻¹ as in mixed_posterior. In order:
// E ∇_φ log p(y | z), E ∇_μ log p(z), E ∇_{log σ} log p(z), E ∇_{log s} log p(y | z). Step 0 is the posterior itself,
// and by Fisher's identity the client's part of mixed_gradient. Throws std::domain_error unless 0 ≤ γ λ_max(Q_i) < 2.
MixedParameters langevin_score(const MixedClient& client, const MixedParameters& parameters, double step);

}  // namespace pollen::stats
