// The linear mixed model in closed form: likelihood, gradient, maximum, and posteriors of the random effects.
//
// Client i has rows (a, b, y): y = A_i φ + B_i z_i + e, e ~ N(0, s² I), z_i ~ N(μ, diag(σ²)). With z_i integrated out,
// y ~ N(A_i φ + B_i μ, B_i diag(σ²) B_i' + s² I). The code is written from these formulas and shares nothing with the
// samplers that are tested against it. All functions are pure.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "stats/exact_law.h"

namespace pollen::stats {

struct MixedClient {
  Eigen::MatrixXd fixed;   // A_i: rows × p; may be empty if p = 0
  Eigen::MatrixXd random;  // B_i: rows × d, where d is at least 1
  Eigen::VectorXd y;
};

// A point in parameter space, or a gradient with one entry per parameter.
struct MixedParameters {
  Eigen::VectorXd phi;     // φ: p entries, where p may be 0
  Eigen::VectorXd mean;    // μ: d entries
  Eigen::VectorXd log_sd;  // log σ: d entries, all equal in a model with one σ
  double log_noise = 0;    // log s
};

// All functions below throw std::invalid_argument if shapes do not fit.
//
// mixed_log_likelihood returns log p(y | φ, μ, σ, s) over all clients, constants included; mixed_gradient returns its
// gradient.

double mixed_log_likelihood(const std::vector<MixedClient>& clients, const MixedParameters& parameters);
MixedParameters mixed_gradient(const std::vector<MixedClient>& clients, const MixedParameters& parameters);

// Returns the law of z_i given the client's rows.
Law mixed_posterior(const MixedClient& client, const MixedParameters& parameters);

struct MixedMleOptions {
  bool scalar_sd = false;  // use one σ for all coordinates
  bool fix_noise = false;  // keep log_noise as in `start`
};
// Finds the maximum-likelihood parameters from `start` by EM and then Newton. It stops when every entry of the
// gradient, times roughly the standard error of that parameter, is below 1e-9. If the maximum is at σ_k = 0, log_sd is
// returned as low as that rule drives it. Throws std::invalid_argument if the columns of (A, B) are linearly dependent
// over all clients, and std::domain_error if no maximum is found.
MixedParameters mixed_mle(const std::vector<MixedClient>& clients, const MixedParameters& start,
                          const MixedMleOptions& options = {});

// Returns the shrinkage weight of a model with random intercepts only (B a column of ones), where E[z_i | y] = μ +
// weight (mean of y - A φ over the rows - μ).
double shrinkage(Eigen::Index rows, double sd, double noise_sd);

// Returns the expected scores of one client's complete data when z_i follows unadjusted Langevin, z ← z + γ ∇log p(z |
// y) + √(2γ) ξ, in its stationary law N(m_i, (Q_i - γ Q_i²/2)⁻¹) at fixed parameters, with m_i and Q_i⁻¹ as in
// mixed_posterior. The entries are, in order, E ∇_φ log p(y | z), E ∇_μ log p(z), E ∇_{log σ} log p(z) and E ∇_{log s}
// log p(y | z). Step 0 means the posterior itself; by Fisher's identity the result is then the client's part of
// mixed_gradient. Throws std::domain_error unless 0 ≤ γ λ_max(Q_i) < 2.
MixedParameters langevin_score(const MixedClient& client, const MixedParameters& parameters, double step);

}  // namespace pollen::stats
