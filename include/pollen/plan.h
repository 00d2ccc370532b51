// Computes what the papers' theorems promise for a problem and a sampler before anything runs: the admissible step, a
// W2 bound split into named terms, the rounds and bits to a precision, and the best number of local steps. All
// functions are pure and thread-safe; they work on numbers and do no I/O.
//
// Steps are those of the method, in its own paper's units. FALD's γ, the step of every sampler that averages with equal
// weights, is b times the others'. Bounds are conservative by nature. Each bound follows the proof, with the misprints
// of the statement corrected; docs/plan.md lists the corrections and says how to estimate each constant.
//
//   PlanInput input{.constants = ..., .method = ..., .precision = 0.1};
//   std::cout << to_text(make_plan(input));
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pollen/recipe.h"

namespace pollen::plan {

// Constants of U_i, the part of the potential that client i owns: its likelihood, and its share of the prior where the
// prior is split over the clients (always in the averaging family). θ* is the minimiser of U. All constants are taken
// before the division by the temperature.
struct ClientConstants {
  double rows = 1;        // N_i
  double batch = 1;       // n_i; equal to `rows` for the full gradient
  double smoothness = 0;  // L_i: largest eigenvalue of ∇²U_i over θ (for convex U_i also its co-coercivity constant)
  double convexity = 0;   // m_i: smallest eigenvalue of ∇²U_i over θ; only FA-LD needs it
  double row_smoothness = 0;  // M̄_i: largest L_ij over its rows j, without the prior
  double gradient = 0;        // ‖∇U_i(θ*)‖²
  double variance = 0;        // E‖H_i(θ*) - ∇U_i(θ*)‖² of its minibatch gradient; see minibatch_variance()
  double omega = 0;           // ω_i of its compressor at dimension d
  double alpha = 1;           // α_i of its compressor; used by error feedback only
};

struct Constants {
  double dimension = 1;
  // m: smallest eigenvalue of ∇²U over θ, U = U_0 + Σ U_i. ELF's rate needs a log-Sobolev constant only, but the bound
  // on its start needs strong convexity, so that m is the same for all theorems.
  double convexity = 0;
  double smoothness = 0;                    // L: largest eigenvalue of ∇²U over θ
  std::optional<double> hessian_lipschitz;  // FALD's HX1: Lipschitz constant of every ∇²U_i in operator norm
  double start = 0;                         // E‖θ_0 - θ*‖²
  double temperature = 1;
  std::vector<ClientConstants> clients;
  // What has no L, m and clients' constants of curvature, in words such as "a network"; empty if they are known. A plan
  // without them has no bound, but still counts what is sent and evaluated.
  std::string unbounded = {};
};

// The variance E‖H(θ) - Σ_j g_j‖² of a minibatch gradient H of n out of N rows, drawn without replacement, computed
// from Σ_j‖g_j‖² and ‖Σ_j g_j‖². It is an equality (QLSD, Lemma S4).
double minibatch_variance(double rows, double batch, double sum_of_squares, double square_of_sum);

// Settings of samplers in which the clients step and the server averages.
struct Averaging {
  bool random = true;      // true: average with probability `communicate` after each step; false: every `steps` steps
  double communicate = 1;  // p_c
  double steps = 1;        // K
  bool control_variate = false;  // true for VR-FALD*
  double refresh = 1;            // q_c
  double common = 1;             // share of the noise that is common to all clients: FALD's τ, FA-LD's ρ²
  bool by_size = false;          // true: weights N_i/N (FA-LD); false: 1/b (FALD)
};

struct Method {
  OracleKind oracle = OracleKind::full;
  Memory memory = Memory::none;
  double memory_rate = 0;           // α of Memory::average
  bool memory_at_gradient = false;  // true for memory_init = "gradient"
  double refresh = 1;               // for svrg: l, the number of rounds between refreshes
  bool down_feedback = false;
  double down_alpha = 1;
  Participation participation;
  std::optional<Averaging> averaging;
};

enum class Theorem { qlsd, qlsd_star, qlsd_pp, d_elf, p_elf, b_elf, fald, vr_fald, fa_ld };

// Returns the theorem that covers the method. If there is none, `why` says what is in the way.
std::optional<Theorem> theorem_for(const Method& method, const Constants& constants, std::string& why);

struct StepLimit {
  std::string rule;
  double value = 0;
};

// One theorem for one problem: bounds on W2² of the law after k iterations, as functions of the step.
struct Guarantee {
  std::string source;                        // paper and theorem, for example "QLSD, Theorem S5"
  std::vector<StepLimit> limits;             // the conditions on the step; the smallest value is the admissible step
  std::function<double(double step)> rate;   // slowest factor per iteration on the terms that depend on the start
  std::function<double(double step)> limit;  // the bound for k → ∞
  std::function<double(double step, double iterations)> after;
  double kl = 0;  // where the theorem bounds KL (ELF): KL = kl · W2², by Talagrand's inequality; otherwise 0

  double step() const;  // the admissible step
};
Guarantee guarantee(Theorem theorem, const Constants& constants, const Method& method);

struct Term {
  std::string name;   // start, discretisation, gradient noise, compression, participation, local drift, heterogeneity
  double square = 0;  // its part of the W2² bound; the parts add up
};

struct Bound {
  double step = 0;
  double iterations = 0;
  double w2 = 0;
  double limit = 0;  // the bound on W2 for k → ∞
  std::optional<double> kl;
  double rate = 0;
  std::vector<Term> terms;
};

struct Traffic {
  double rounds = 0;
  double gradients = 0;  // minibatch gradients per client
  double up_bits = 0;    // summed over all clients
  double down_bits = 0;
};

// The cheapest way to a precision that the bound allows.
struct Reach {
  double precision = 0;
  bool reached = false;  // false: no step brings the bound below the precision
  double floor = 0;      // if not reached: the smallest W2 that the bound attains for any step
  double step = 0;
  double iterations = 0;
  Traffic traffic;
};

// The local steps with the least cost, where the cost is gradients + price · rounds.
struct Choice {
  std::string name;  // "communicate" (p_c) or "local_steps" (K)
  double price = 0;  // price of a round, in gradients
  double value = 0;
  double cost = 0;
  double cost_now = 0;  // cost with the method's own value; infinite if that does not reach the precision
  Reach reach;
};

struct Messages {
  double up_bits = 0;  // per client and round
  double down_bits = 0;
};

struct PlanInput {
  Constants constants = {};
  Method method = {};
  Messages messages = {};
  std::optional<double> step = {};         // the user's step; if empty, the admissible one
  double iterations = 20000;               // the number of iterations for which the bound is computed
  std::optional<double> precision = {};    // the W2 that is wanted
  std::optional<double> round_price = {};  // price of a round, in gradients
};

struct Plan {
  std::optional<Theorem> theorem;
  std::string source;
  Constants constants;
  double heterogeneity = 0;  // Σ‖∇U_i(θ*)‖²/b
  double step = 0;           // the admissible step
  std::vector<StepLimit> limits;
  std::optional<Bound> bound;
  Traffic traffic;  // traffic of the bound's iterations
  std::optional<Reach> reach;
  std::optional<Choice> choice;
  std::vector<std::string> warnings;
};

Plan make_plan(const PlanInput& input);
std::string to_text(const Plan& plan);
std::string to_json(const Plan& plan);

// Returns E[b/|A|], where |A| is the number of clients present if each tosses a coin of probability p and rounds
// without anybody are drawn again.
double mean_inverse_share(double clients, double p);

// The functions that make_plan() combines.
std::vector<Term> split(Theorem theorem, const PlanInput& input, double step);
Reach reach(const Guarantee& guarantee, double precision);
Traffic traffic(const PlanInput& input, double iterations);
std::optional<Choice> best_local_steps(Theorem theorem, const PlanInput& input);

}  // namespace pollen::plan
