// FedSOUL and FedSOUK for personalised models (docs/algorithms.md section 7). Every client has a latent z_i of its own,
// with a common population prior p(z | β). Stochastic approximation learns φ and β from the clients' local Markov
// chains; latents never leave their client.
//
//   client:  M steps of a kernel for p(z | D_i, φ, β);
//            I = mean of ∇_β log p(z_m | β), J = mean of ∇_φ log p(D_i | z_m, φ)
//   server:  β ← Π(β + η1 [∇ log p(β) + (b/|A|) Σ I]),  φ ← Π(φ + η2 [∇ log p(φ) + (b/|A|) Σ C(J)])
//
// Unless η1 and η2 are given, they are matrices where the model knows its second derivatives: the inverse of the
// information that known latents would give about β and φ, so that neither units nor correlations matter.
//
// Both run as ordinary rounds (pollen/round.h) with these two halves:
//
//   const ClientWork work = make_personal_work(problem, settings);       // what clients compute
//   auto step = make_approximation(problem, settings, recipe.up.rate);   // how the server moves
//   recipe.up.whole_tail = population.parameters();                      // I is not compressed
//
// The server's position is (φ, β), one column per chain. Its path consists of estimates, not of posterior draws.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/mixed.h"
#include "round/local_work.h"
#include "round/server_step.h"

namespace pollen {

// One coordinate of a normal population, N(mean, sd²), and the places in β of the mean and of log sd; -1 where it is
// not learnt.
struct NormalPlace {
  Index of_mean, of_log_sd;
  double mean, sd;
};

// The distribution p(z | β) of the clients' latents, whose parameters β are learnt. Immutable and thread-safe.
class Population {
 public:
  virtual ~Population() = default;
  virtual Index latent() const = 0;
  virtual Index parameters() const = 0;           // coordinates of β
  virtual std::vector<double> start() const = 0;  // β_0
  virtual std::vector<std::string> labels(const std::vector<std::string>& latents) const = 0;
  // Returns -log p(z | β) up to a constant in z and β, and adds its gradient by z to g.
  virtual double value(std::span<const double> beta, std::span<const double> z, std::span<double> g) const = 0;
  // Whether add_score leaves out -∇ log Z(β), which is the same for every z. The server then estimates it by chains on
  // p(z | β).
  virtual bool leaves_out_constant() const { return false; }
  // Computes out += ∇_β log p(z | β).
  virtual void add_score(std::span<const double> beta, std::span<const double> z, std::span<double> out) const = 0;
  // The largest eigenvalue of -∇²_z log p(z | β), or a bound on it.
  virtual double curvature(std::span<const double> beta) const = 0;
  // Adds -∇²_z log p(z | β), or a bound on it, to `out`.
  virtual void add_precision(std::span<const double> beta, PanelView out) const {
    for (Index j = 0; j < latent(); ++j) out.column(j)[static_cast<std::size_t>(j)] += curvature(beta);
  }
  // Where z_j lies if the coordinates are normal and independent; nothing in other populations.
  virtual std::optional<NormalPlace> place(std::span<const double> /*beta*/, Index /*j*/) const { return {}; }
  // Sets `out` to the inverse of the information that one known z has about each coordinate of β.
  virtual void variances(std::span<const double> beta, std::span<double> out) const = 0;
  // Turns the standard normals in z into a draw from the population.
  virtual void draw(std::span<const double> beta, std::span<double> z) const = 0;
  // Projects β onto the set of allowed values.
  virtual void project(std::span<double> beta) const = 0;
};

// The normal population N(μ, diag σ²) with β = (μ, log σ).
struct NormalPopulation {
  enum class Shape { vector, scalar, fixed };  // one number per coordinate, one for all, or not learnt
  Shape mean = Shape::vector, spread = Shape::scalar;
  std::vector<double> mean_start = {0}, sd_start = {1};  // one for all, or one per coordinate
  double least_sd = 0, most_sd = 1e6;                    // the interval that σ is projected onto
  double mean_radius = 0;                                // the ball that μ is projected onto; 0 means none
};
std::unique_ptr<Population> make_normal_population(const NormalPopulation& how, Index latent);

// The population with density ∝ exp(-E(z; β)), E = ½‖z‖²/s² + Σ_h a_h tanh(w_hᵀz + c_h).
struct EnergyPopulation {
  Index units = 8;   // number of terms in the sum over h
  double scale = 1;  // s
};
std::unique_ptr<Population> make_energy_population(const EnergyPopulation& how, Index latent);

enum class LocalKernel { langevin, mala, hmc };

struct PersonalSettings {
  LocalKernel kernel = LocalKernel::langevin;
  double step = 0;             // γ (for hmc: ε); 0: each client picks one by its curvature at φ and β
  Index local_steps = 10;      // M
  Index leapfrogs = 5;         // for hmc: leapfrog steps per local step
  bool warm_start = true;      // chains start where the client's last round ended, else from the population
  double population_step = 0;  // η1; 0: a tenth of the inverse of the information that known latents have on β
  double shared_step = 0;      // η2; 0: a tenth of the inverse of the largest curvature at φ (for log σ, its own)
  // a: steps are η/(1+k)^a. Empty: 0 with η1 or η2 given. Otherwise steps are constant before
  // the round B = `averaged_from`, and later have the factor (1 + (k-B)/B)^-0.6.
  std::optional<double> decay = {};
  double factor = 1;               // without η1 and η2: the share of Newton's step that the first rounds take
  double shared_radius = 0;        // the ball that φ is projected onto; 0 means none
  Index particles = 16;            // energy population: the server's chains on p(z | β), per chain
  std::int64_t averaged_from = 0;  // the first iteration that enters average()

  bool gives_steps() const { return population_step > 0 || shared_step > 0; }
  // How often a client evaluates the gradient of each of its rows in a round.
  std::int64_t evaluations_per_row() const { return local_steps * (kernel == LocalKernel::hmc ? leapfrogs : 1) + 1; }
};

// The clients' potentials, which may be made only when they are asked for. Copies share the function that makes them.
// Whatever that function and `sizes` (N_i) refer to must outlive every copy.
class PersonalClients {
 public:
  using At = std::function<std::shared_ptr<const PersonalPotential>(std::size_t client)>;
  PersonalClients() = default;
  PersonalClients(std::span<const Index> sizes, At at) : sizes_(sizes), at_(std::move(at)) {}
  explicit PersonalClients(const std::vector<const PersonalPotential*>& all);

  std::size_t size() const { return sizes_.size(); }
  bool empty() const { return sizes_.empty(); }
  std::shared_ptr<const PersonalPotential> operator[](std::size_t client) const { return at_(client); }
  std::shared_ptr<const PersonalPotential> front() const { return at_(0); }
  std::span<const Index> sizes() const { return sizes_; }

 private:
  std::shared_ptr<const std::vector<Index>> own_sizes_;
  std::span<const Index> sizes_;
  At at_;
};

// A pointer that does not own the potential, which its owner must keep alive.
std::shared_ptr<const PersonalPotential> borrowed(const PersonalPotential& potential);

struct PersonalProblem {
  PersonalClients clients;
  const Population* population = nullptr;
  std::vector<double> shared_precision;                         // of φ's normal prior with mean 0; empty if flat
  std::vector<double> population_centre, population_precision;  // of β's normal prior; empty if flat
  Index chains = 1;
  std::uint64_t seed = 1;

  Index shared() const { return clients.front()->shared(); }
  Index dimension() const { return shared() + population->parameters(); }
};

// What a client does in a round. The potentials and the population must outlive the work.
ClientWork make_personal_work(const PersonalProblem& problem, const PersonalSettings& settings);

// The server's step of Robbins and Monro for (φ, β) along the sum of the clients' messages (C(J), I).
class Approximation : public ServerStep {
 public:
  // The average of the path, weighted by the steps η if they are given, one column per chain.
  virtual ConstPanelView average() const = 0;
  // Whether the server needs the answers to Query::What::information before this round, and takes them. `at` is the
  // mean position of all chains.
  virtual bool needs_information(std::uint64_t round) const = 0;
  virtual void take_information(std::span<const double> at, ConstPanelView sum) = 0;
};
// `memory_rate` is the share of a message that the client's memory takes over (the recipe's up.rate).
std::unique_ptr<Approximation> make_approximation(const PersonalProblem& problem, const PersonalSettings& settings,
                                                  double memory_rate);

}  // namespace pollen
