// Exact stationary laws of samplers on Gaussian targets, step-size bias included (algorithms.md section 10).
//
// On quadratic potentials many samplers are random affine recursions s' = A s + a + noise with finitely many (A, a). Their
// stationary mean and covariance solve linear systems. Written from the recursions of algorithms.md, not from the samplers.
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

// One phase: the outcomes of a step and the covariance of its additive noise. The law just after each phase of a cycle of
// phases (one phase: the usual stationary law). Throws std::domain_error where the recursion is not mean-square stable.
struct Phase {
  std::vector<AffineOutcome> outcomes;
  Eigen::MatrixXd noise;  // n × n
};
std::vector<Law> stationary(const std::vector<Phase>& cycle);

// A federated problem with quadratic terms: ∇U_ij(θ) = curvature θ - shift.
struct QuadraticTerm { Eigen::MatrixXd curvature; Eigen::VectorXd shift; };
struct QuadraticClient { std::vector<QuadraticTerm> terms; };
struct QuadraticProblem {
  std::vector<QuadraticClient> clients;
  Eigen::VectorXd prior_precision;  // diagonal; zeros for a flat prior
  Law target(double temperature = 1.0) const;  // the exact posterior
};

struct GradientLawOptions {
  enum class Oracle { full, minibatch, fixed_point, svrg } oracle = Oracle::full;
  enum class Compressor { identity, rand_k, scaled_rand_k } up = Compressor::identity, down = Compressor::identity;
  enum class Participation { full, bernoulli_active, bernoulli_inverse, fixed_size, fixed_size_replacement } participation =
      Participation::full;
  double step = 0;
  double temperature = 1;
  int batch = 0;              // rows a client without replacement; 0 = all
  int k = 1;                  // rand-k
  int down_k = 1;
  std::optional<double> memory;   // α of qlsd++'s memory; empty = none
  bool error_feedback = false;    // ELF up: memory with α = 1 and weights 1
  bool down_feedback = false;     // ELF down: EF21-P
  int refresh = 1;                // svrg: l
  std::vector<double> probability;  // bernoulli, one a client
  int size = 1;                   // fixed-size
  Eigen::VectorXd anchor;         // fixed point: θ̂
};

// The law of θ just after each of the l rounds of a refresh cycle: [0] after the round that refreshed (k ≡ 0 mod l), ...
// One entry where nothing is periodic.
std::vector<Law> gradient_family_law(const QuadraticProblem& problem, const GradientLawOptions& options);

// The averaging family (section 6). FALD and VR-FALD*: equal weights; FA-LD: by_size. Client i owns its weight's share of
// the prior.
struct AveragingLawOptions {
  bool by_size = false;       // FA-LD
  double step = 0;            // γ, or η with by_size
  double temperature = 1;
  double correlation = 1;     // τ, or ρ with by_size
  int steps = 1;              // K
  double communicate = 0;     // p_c; 0: every K steps
  double refresh = 0;         // q_c of VR-FALD*; 0: no control variates
  bool anchor_at_once = false;  // a wrong VR-FALD*, for tests: the new Y and C act one step early
  int batch = 0;              // rows a client without replacement; 0 = all
  GradientLawOptions::Compressor up = GradientLawOptions::Compressor::identity;  // of changes, with τ = 1
  int k = 1;                  // rand-k
  double memory = 0;          // α of the memory behind the compressor
  GradientLawOptions::Participation participation = GradientLawOptions::Participation::full;
  std::vector<double> probability;
  int size = 1;
};

// The law of Σ w_i x_i: [0] at communication rounds. Then with K after the 1st, ... K-1st local step since the last one;
// with p_c [1] after any iteration.
std::vector<Law> averaging_family_law(const QuadraticProblem& problem, const AveragingLawOptions& options);
// The law after each of the first `rounds` communication rounds of K steps, everybody at `start`; step_at(k) is the step
// of iteration k from 0.
std::vector<Law> averaging_family_path(const QuadraticProblem& problem, const AveragingLawOptions& options,
                                       const Eigen::VectorXd& start, int rounds,
                                       const std::function<double(int)>& step_at);

}  // namespace pollen::stats
