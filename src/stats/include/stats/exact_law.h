// Exact stationary laws of samplers on Gaussian targets, including the bias of the step size (docs/algorithms.md
// section 10).
//
// On quadratic potentials many samplers are random affine recursions s' = A s + a + noise with finitely many pairs (A,
// a). Their stationary mean and covariance solve linear systems. The laws here are written from the recursions of
// docs/algorithms.md, not from the samplers' code, so that each can check the other. All functions are pure.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <vector>

namespace pollen::stats {

struct AffineOutcome {
  double probability = 1;
  Eigen::MatrixXd a;  // n × n
  Eigen::VectorXd b;  // n
};

struct Law {
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
};

// One phase of a recursion: the possible outcomes of a step and the covariance of its additive noise. stationary()
// returns the law just after each phase of a cycle of phases; with one phase that is the usual stationary law. It
// throws std::domain_error if the recursion is not mean-square stable.
struct Phase {
  std::vector<AffineOutcome> outcomes;
  Eigen::MatrixXd noise;  // n × n
};
std::vector<Law> stationary(const std::vector<Phase>& cycle);

// A federated problem with quadratic potentials: ∇U_ij(θ) = curvature θ - shift.
struct QuadraticTerm {
  Eigen::MatrixXd curvature;
  Eigen::VectorXd shift;
};
struct QuadraticClient {
  std::vector<QuadraticTerm> terms;
  double rows = 0;  // N_i where clients are weighed by size; 0: the number of terms
};
struct QuadraticProblem {
  std::vector<QuadraticClient> clients;
  Eigen::VectorXd prior_precision;  // diagonal; all zeros for a flat prior
  // If given, the prior's gradient is prior_matrix θ - prior_shift, and prior_precision only tells the dimension.
  Eigen::MatrixXd prior_matrix = {};
  Eigen::VectorXd prior_shift = {};

  Eigen::MatrixXd prior_curvature() const;
  Eigen::VectorXd prior_pull() const;          // the prior's shift
  Law target(double temperature = 1.0) const;  // the exact posterior
};

struct GradientLawOptions {
  enum class Oracle { full, minibatch, fixed_point, svrg } oracle = Oracle::full;
  enum class Compressor { identity, rand_k, scaled_rand_k } up = Compressor::identity, down = Compressor::identity;
  enum class Participation {
    full,
    bernoulli_active,
    bernoulli_inverse,
    fixed_size,
    fixed_size_replacement
  } participation = Participation::full;
  double step = 0;
  double temperature = 1;
  int batch = 0;  // rows per client, drawn without replacement; 0 means all
  int k = 1;      // coordinates that rand-k keeps
  int down_k = 1;
  std::optional<double> memory;          // α of QLSD++'s memory; empty means no memory
  bool error_feedback = false;           // ELF's uplink: a memory with α = 1 and weights 1
  bool down_feedback = false;            // ELF's downlink: EF21-P
  int refresh = 1;                       // for svrg: l, the number of rounds between refreshes
  std::vector<double> probability = {};  // for Bernoulli participation: one per client
  int size = 1;                          // for fixed-size participation: the number of clients per round
  Eigen::VectorXd anchor = {};           // for the fixed-point oracle: θ̂
};

// Returns the law of θ just after each of the l rounds of a refresh cycle; entry 0 is after the round that refreshed (k
// ≡ 0 mod l). There is a single entry where nothing is periodic.
std::vector<Law> gradient_family_law(const QuadraticProblem& problem, const GradientLawOptions& options);

// Options of the averaging family (docs/algorithms.md section 6). FALD and VR-FALD* weigh clients equally, FA-LD by
// size (by_size). A client owns a share of the prior equal to its weight.
struct AveragingLawOptions {
  bool by_size = false;  // FA-LD's weights N_i/N
  double step = 0;       // γ, or η with by_size
  double temperature = 1;
  double correlation = 1;       // τ, or ρ with by_size
  int steps = 1;                // K
  double communicate = 0;       // p_c; 0 means that clients average every K steps
  double refresh = 0;           // q_c of VR-FALD*; 0 means no control variates
  bool anchor_at_once = false;  // a deliberately wrong VR-FALD* for tests: the new Y and C act one step early
  int batch = 0;                // rows per client, drawn without replacement; 0 means all
  GradientLawOptions::Compressor up = GradientLawOptions::Compressor::identity;  // compresses changes, with τ = 1
  int k = 1;                                                                     // coordinates that rand-k keeps
  double memory = 0;                                                             // α of the compressor's memory
  GradientLawOptions::Participation participation = GradientLawOptions::Participation::full;
  std::vector<double> probability = {};
  int size = 1;
};

// Returns laws of Σ w_i x_i. Entry 0 is the law at communication rounds. With K, the next entries are the laws after
// the 1st, ..., (K-1)st local step since the last communication. With p_c, entry 1 is the law after any iteration.
std::vector<Law> averaging_family_law(const QuadraticProblem& problem, const AveragingLawOptions& options);
// Returns the law after each of the first `rounds` communication rounds of K steps, when every client begins at
// `start`. step_at(k) is the step size of iteration k, counted from 0.
std::vector<Law> averaging_family_path(const QuadraticProblem& problem, const AveragingLawOptions& options,
                                       const Eigen::VectorXd& start, int rounds,
                                       const std::function<double(int)>& step_at);

}  // namespace pollen::stats
