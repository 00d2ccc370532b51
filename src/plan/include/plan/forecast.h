// What a sampler will deliver near the mode of the posterior, before it runs: how far the sampled means and standard
// deviations will be from the posterior's, and how many effective draws an iteration gives. The posterior is taken for
// the Gaussian law with the mode and the Hessian of U there; docs/plan.md derives the equations and says which samplers
// are covered exactly. All functions are pure.
//
//   Forecaster forecaster(sums, dynamics);
//   const StepChoice choice = choose_step(forecaster, {.iterations = 20000, .chains = 4});
//   forecaster.at(choice.step).ratio.maxCoeff();
#pragma once

#include <Eigen/Core>
#include <optional>
#include <utility>
#include <vector>

namespace pollen::plan {

// What makes the sampled law differ from the posterior.
enum class Cause {
  step,           // the size of the step itself
  participation,  // absent clients
  minibatch,      // gradients over a part of the rows
  compression,    // compressed messages
  local_steps,    // clients that step by themselves between two averages
  delay,          // error feedback: what the receiver knows lags behind
  heat,           // private noise of few clients in an average: a higher temperature, at any step
};
const char* name_of(Cause cause);

// The covariance of the noise that one cause adds to the gradient of U which the sampler follows. If it comes from
// differences to an anchor or to a memory, it also shrinks with the step, by the factors that Dynamics gives.
struct NoisePart {
  Cause cause = Cause::minibatch;
  Eigen::MatrixXd covariance;
  bool from_anchor = false, from_memory = false;
};

// The posterior at its mode and sums over the clients, in the coordinates ψ in which the sampler runs. H_i and g_i are
// the Hessian and the gradient of what client i owns, w_i is its weight in averages. Empty matrices stand for zeros.
struct GaussianSums {
  Eigen::MatrixXd hessian;   // H of U, prior included
  Eigen::MatrixXd to_theta;  // A of θ = θ̂ + Aψ; empty for the identity
  std::vector<NoisePart> noise;
  Eigen::VectorXd drift;    // Σ H_i g_i/w_i, of local steps
  Eigen::MatrixXd squares;  // Σ H_i²/w_i, of local steps
  Eigen::MatrixXd delayed;  // Σ lag_i H_i, where lag_i is the mean age in rounds of what is known of client i
  // A linear model with sampled λ = log σ, which is no Gaussian: its likelihood's part of H is divided by σ², so that
  // draws that are too wide push σ up. `scale` is dλ/dψ, and `of_rows` that part of H.
  Eigen::VectorXd scale;
  Eigen::MatrixXd of_rows;
};

// The numbers of a sampler that the forecast needs besides the step.
struct Dynamics {
  double temperature = 1;
  double heat = 1;           // factor on the temperature, from private noise in an average over few clients
  double unit = 1;           // γ' for a configured step of 1: 1/b for samplers that weigh clients equally
  double mean_steps = 1;     // local steps per round: K or 1/p_c
  double further_steps = 0;  // κ: (K-1)/2 or (1-p_c)/p_c
  double anchor_rounds = 0;  // svrg: l, the rounds between two anchors; 0: none
  double anchor_chance = 0;  // control variates: q_c, the chance of a new anchor per iteration; 0: none
  double memory_rate = 0;    // α of the memory; 0: none
  double presence = 1;       // the probability that a client takes part in a round
  double omega = 0;          // ω of the compressor, which makes the memory itself noisy
  double stride = 1;         // iterations between two draws that are kept
};

struct Forecast {
  double step = 0;         // in the units of the sampler's own paper
  Eigen::VectorXd bias;    // per parameter: (mean of the draws - mean of the posterior) / sd of the posterior
  Eigen::VectorXd ratio;   // sd of the draws / sd of the posterior; infinite if the chain diverges
  Eigen::VectorXd tau;     // iterations per effective draw of one chain
  Eigen::VectorXd pushed;  // the part of the bias that comes from draws that are too wide (GaussianSums::scale)
  // The share of each cause in ratio² - 1 of every parameter, for the causes that are present.
  std::vector<std::pair<Cause, Eigen::VectorXd>> shares;
  bool exact = false;  // whether mean and sd come from the exact law, not from the first order in the step

  Eigen::Index widest() const;                         // the parameter whose ratio is farthest from 1
  Eigen::Index biased() const;                         // the parameter with the largest |bias|
  double slowest() const;                              // the largest tau
  double ess(double iterations, double chains) const;  // of the slowest parameter
  Cause worst() const;  // what does most harm: to the mean if its bias exceeds the error of the sd, else to the sd
};

// What a forecast must keep to be called good.
struct Tolerance {
  double sd = 0.03;   // of |ratio - 1|
  double mean = 0.1;  // of |bias|
  double ess = 400;   // of all chains together
};
bool within(const Forecast& forecast, const Tolerance& tolerance = {});

class Forecaster {
 public:
  // Throws std::domain_error if the Hessian is not positive definite.
  Forecaster(const GaussianSums& sums, const Dynamics& dynamics);

  Forecast at(double step) const;
  Forecast without_causes(double step) const;  // the same without Forecast::shares, which takes less time
  // A step below which the linear recursion is certainly stable: γ' λ_max(K H + C/T) < 2, C the whole noise.
  double stable() const { return stable_; }
  Eigen::Index parameters() const { return basis_.rows(); }
  const Dynamics& dynamics() const { return dynamics_; }
  // The same forecast with the mean and the covariance of an exact law in ψ around the mode.
  Forecast with_law(double step, const Eigen::VectorXd& mean, const Eigen::MatrixXd& covariance) const;
  Forecast unstable(double step) const;  // of a recursion that diverges: infinite ratios

 private:
  struct Part {
    Cause cause;
    Eigen::MatrixXd rotated;  // in the eigenbasis of H
    bool from_anchor, from_memory;
  };
  double shrink(const Part& part, double effective) const;
  Eigen::VectorXd pushed(const Eigen::MatrixXd& covariance) const;
  Eigen::MatrixXd control_part(double effective) const;
  Eigen::VectorXd variances(const Eigen::MatrixXd& right, double effective) const;
  std::vector<std::pair<Cause, Eigen::MatrixXd>> terms(double effective) const;
  Eigen::VectorXd autocorrelation_time(const Eigen::MatrixXd& half, double effective) const;

  Dynamics dynamics_;
  Eigen::VectorXd values_;   // eigenvalues of H
  Eigen::MatrixXd basis_;    // A times the eigenvectors of H
  Eigen::MatrixXd vectors_;  // the eigenvectors of H
  Eigen::VectorXd target_;   // variances of the posterior
  Eigen::VectorXd drift_;    // κ H⁻¹ Σ H_i g_i/w_i in θ, per γ'
  std::vector<Part> parts_;
  Eigen::MatrixXd squares_;  // Σ H_i²/w_i in the eigenbasis
  Eigen::VectorXd push_;     // H⁻¹ dλ/dψ in θ
  Eigen::MatrixXd of_rows_;  // the likelihood's part of H in the eigenbasis
  double stable_ = 0;
};

// The run for which a step is wanted.
struct StepWanted {
  double iterations = 1;  // after burn-in
  double chains = 1;
  double most = 0;  // the largest step that other bounds allow; 0: none
  Tolerance tolerance = {};
};

struct StepChoice {
  double step = 0;
  bool good = false;         // whether the tolerances are kept with enough effective draws
  double within = 0;         // the largest step that keeps the tolerances; 0 if none does
  std::optional<Cause> why;  // if not good: what is in the way
};
// Takes the largest step that keeps the tolerances if it gives enough effective draws, otherwise the step that
// minimises max_j [bias_j² + (ratio_j - 1)² + 1/ESS_j].
StepChoice choose_step(const Forecaster& forecaster, const StepWanted& wanted);

}  // namespace pollen::plan
