// What the papers' theorems promise for a problem and a sampler, before anything runs: the admissible step, a W2 bound
// in named terms, rounds and bits to a precision, the best number of local steps. Pure functions of numbers, no I/O.
//
// Steps are in the paper's own units (FALD's γ is b times the others'). Bounds are conservative by nature. Each is the
// one of the proof, with the misprints of the statement mended: docs/plan.md lists them and says how to estimate each
// constant.
//   PlanInput input{.constants = ..., .method = ..., .precision = 0.1};
//   std::cout << to_text(make_plan(input));
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pollen/recipe.h"

namespace pollen::plan {

// Of what client i owns, U_i: its likelihood, and its share of the prior where the prior is split over the clients
// (always in the averaging family). θ* is the minimiser of U. All before the division by the temperature.
struct ClientConstants {
  double rows = 1;            // N_i
  double batch = 1;           // n_i; rows: the full gradient
  double smoothness = 0;      // L_i: largest eigenvalue of ∇²U_i over θ (its co-coercivity constant, U_i convex)
  double convexity = 0;       // m_i: smallest eigenvalue of ∇²U_i over θ; only FA-LD asks for it
  double row_smoothness = 0;  // M̄_i: largest L_ij over its rows j, prior left out
  double gradient = 0;        // ‖∇U_i(θ*)‖²
  double variance = 0;        // E‖H_i(θ*) - ∇U_i(θ*)‖² of its minibatch gradient: minibatch_variance()
  double omega = 0;           // ω_i of its compressor at dimension d
  double alpha = 1;           // α_i of its compressor; error feedback only
};

struct Constants {
  double dimension = 1;
  double convexity = 0;  // m: smallest eigenvalue of ∇²U over θ, U = U_0 + Σ U_i; ELF: the log-Sobolev constant will do
  double smoothness = 0;                    // L: largest eigenvalue of ∇²U over θ
  std::optional<double> hessian_lipschitz;  // FALD's HX1: of every ∇²U_i, in operator norm
  double start = 0;                         // E‖θ_0 - θ*‖²
  double temperature = 1;
  std::vector<ClientConstants> clients;
};

// E‖H(θ) - Σ_j g_j‖² of n of N rows without replacement, from Σ_j‖g_j‖² and ‖Σ_j g_j‖² (qlsd.txt, Lemma S4, an
// equality).
double minibatch_variance(double rows, double batch, double sum_of_squares, double square_of_sum);

// Clients step, the server averages.
struct Averaging {
  bool random = true;            // true: with probability `communicate` after each step; false: every `steps` steps
  double communicate = 1;        // p_c
  double steps = 1;              // K
  bool control_variate = false;  // VR-FALD*
  double refresh = 1;            // q_c
  double common = 1;             // the noise all clients share: FALD's τ, FA-LD's ρ²
  bool by_size = false;          // weights N_i/N (FA-LD); false: 1/b (FALD)
};

struct Method {
  OracleKind oracle = OracleKind::full;
  Memory memory = Memory::none;
  double memory_rate = 0;           // α of Memory::average
  bool memory_at_gradient = false;  // memory_init = "gradient"
  double refresh = 1;               // svrg: l
  bool down_feedback = false;
  double down_alpha = 1;
  Participation participation;
  std::optional<Averaging> averaging;
};

enum class Theorem { qlsd, qlsd_star, qlsd_pp, d_elf, p_elf, b_elf, fald, vr_fald, fa_ld };

// The theorem that covers the method, or none: `why` then says what is in the way.
std::optional<Theorem> theorem_for(const Method& method, const Constants& constants, std::string& why);

struct StepLimit {
  std::string rule;
  double value = 0;
};

// One theorem for one problem, as functions of the step: in W2², of the law after k iterations.
struct Guarantee {
  std::string source;                        // paper and theorem
  std::vector<StepLimit> limits;             // the conditions on the step; the smallest is the admissible step
  std::function<double(double step)> rate;   // factor an iteration on what depends on the start, the slowest
  std::function<double(double step)> limit;  // k → ∞
  std::function<double(double step, double iterations)> after;
  double kl = 0;  // KL = kl · W2² where the theorem is in KL (ELF, by Talagrand); else 0

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
  double limit = 0;  // W2 for k → ∞
  std::optional<double> kl;
  double rate = 0;
  std::vector<Term> terms;
};

struct Traffic {
  double rounds = 0;
  double gradients = 0;  // minibatch gradients a client
  double up_bits = 0;    // of all clients
  double down_bits = 0;
};

// The cheapest way to a precision that the bound allows.
struct Reach {
  double precision = 0;
  bool reached = false;  // false: no step brings the bound below it
  double floor = 0;      // where not: the W2 below which the bound does not go, for any step
  double step = 0;
  double iterations = 0;
  Traffic traffic;
};

// Local steps at the least cost: gradients + price · rounds.
struct Choice {
  std::string name;  // "communicate" (p_c) or "local_steps" (K)
  double price = 0;  // of a round, in gradients
  double value = 0;
  double cost = 0;
  double cost_now = 0;  // with the method's own value; infinite where it does not get there
  Reach reach;
};

struct Messages {
  double up_bits = 0;  // a client and round
  double down_bits = 0;
};

struct PlanInput {
  Constants constants = {};
  Method method = {};
  Messages messages = {};
  std::optional<double> step = {};         // the user's; else the admissible one
  double iterations = 20000;               // where the bound is asked for
  std::optional<double> precision = {};    // wanted W2
  std::optional<double> round_price = {};  // of a round, in gradients
};

struct Plan {
  std::optional<Theorem> theorem;
  std::string source;
  Constants constants;
  double heterogeneity = 0;  // Σ‖∇U_i(θ*)‖²/b
  double step = 0;           // admissible
  std::vector<StepLimit> limits;
  std::optional<Bound> bound;
  Traffic traffic;  // of `bound`'s iterations
  std::optional<Reach> reach;
  std::optional<Choice> choice;
  std::vector<std::string> warnings;
};

Plan make_plan(const PlanInput& input);
std::string to_text(const Plan& plan);
std::string to_json(const Plan& plan);

// The pieces make_plan() is made of.
std::vector<Term> split(Theorem theorem, const PlanInput& input, double step);
Reach reach(const Guarantee& guarantee, double precision);
Traffic traffic(const PlanInput& input, double iterations);
std::optional<Choice> best_local_steps(Theorem theorem, const PlanInput& input);

}  // namespace pollen::plan
