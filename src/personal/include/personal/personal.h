// Personalised models (algorithms.md section 7): clients have latents z_i of their own with a common population prior
// p(z | β); φ and β are learnt by stochastic approximation from the clients' local Markov chains, latents stay at home.
//
//   client:  M steps of a kernel for p(z | D_i, φ, β);
//            I = mean of ∇_β log p(z_m | β), J = mean of ∇_φ log p(D_i | z_m, φ)
//   server:  β ← Π(β + η1 [∇ log p(β) + (b/|A|) Σ I]),  φ ← Π(φ + η2 [∇ log p(φ) + (b/|A|) Σ C(J)])
//
// FedSOUL and FedSOUK are a round like any other (pollen/round.h) with these two halves:
//
//   const ClientWork work = make_personal_work(problem, settings);             // what clients compute
//   auto step = make_approximation(problem, settings, recipe.up.rate);         // how the server moves
//   recipe.up.whole_tail = population.parameters();                            // I is not compressed
//
// The server's position is (φ, β), a column per chain: its path is what the algorithm gives, not posterior draws.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/mixed.h"
#include "round/local_work.h"
#include "round/server_step.h"

namespace pollen {

// p(z | β), of which β is learnt. Immutable; const calls are thread-safe.
class Population {
 public:
  virtual ~Population() = default;
  virtual Index latent() const = 0;
  virtual Index parameters() const = 0;           // coordinates of β
  virtual std::vector<double> start() const = 0;  // β_0
  virtual std::vector<std::string> labels(const std::vector<std::string>& latents) const = 0;
  // -log p(z | β) without constants in z and β; adds its gradient by z to g.
  virtual double value(std::span<const double> beta, std::span<const double> z, std::span<double> g) const = 0;
  // Whether add_score leaves out -∇ log Z(β), the same for every z: the server then estimates it by chains on p(z | β).
  virtual bool leaves_out_constant() const { return false; }
  // out += ∇_β log p(z | β).
  virtual void add_score(std::span<const double> beta, std::span<const double> z, std::span<double> out) const = 0;
  // λ_max of -∇²_z log p(z | β), or a bound on it.
  virtual double curvature(std::span<const double> beta) const = 0;
  // out = 1/(the information of one known z about each coordinate of β).
  virtual void variances(std::span<const double> beta, std::span<double> out) const = 0;
  // Standard normals in, a draw out.
  virtual void draw(std::span<const double> beta, std::span<double> z) const = 0;
  // Onto where β may be.
  virtual void project(std::span<double> beta) const = 0;
};

// N(μ, diag σ²), β = (μ, log σ).
struct NormalPopulation {
  enum class Shape { vector, scalar, fixed };  // one a coordinate, one for all, not learnt
  Shape mean = Shape::vector, spread = Shape::scalar;
  std::vector<double> mean_start = {0}, sd_start = {1};  // one for all, or one a coordinate
  double least_sd = 0, most_sd = 1e6;                    // the box σ is kept in
  double mean_radius = 0;                                // the ball μ is kept in; 0: none
};
std::unique_ptr<Population> make_normal_population(const NormalPopulation& how, Index latent);

// exp(-E(z; β)), E = ½‖z‖²/s² + Σ a_h tanh(w_hᵀz + c_h).
struct EnergyPopulation {
  Index units = 8;   // h
  double scale = 1;  // s
};
std::unique_ptr<Population> make_energy_population(const EnergyPopulation& how, Index latent);

enum class LocalKernel { langevin, mala, hmc };

struct PersonalSettings {
  LocalKernel kernel = LocalKernel::langevin;
  double step = 0;                 // γ (hmc: ε); 0: every client takes one that fits its curvature at φ and β
  Index local_steps = 10;          // M
  Index leapfrogs = 5;             // hmc
  bool warm_start = true;          // from where the client's last round ended; else from the population
  double population_step = 0;      // η1; 0: a tenth of the inverse information that known latents would give, at β
  double shared_step = 0;          // η2; 0: a tenth of the inverse of the largest curvature at φ (log σ: of its own)
  double decay = 0;                // a: steps are η/(1+k)^a
  double shared_radius = 0;        // the ball φ is kept in; 0: none
  Index particles = 16;            // an energy's chains at the server, for each chain
  std::int64_t averaged_from = 0;  // iterations before it do not enter average()

  // How often a client looks at each of its rows in a round.
  std::int64_t looks() const { return local_steps * (kernel == LocalKernel::hmc ? leapfrogs : 1) + 1; }
};

// Clients' potentials, which may be made when they are asked for. Copies share what makes them, which outlives them.
class PersonalClients {
 public:
  using At = std::function<std::shared_ptr<const PersonalPotential>(std::size_t client)>;
  PersonalClients() = default;
  PersonalClients(std::span<const Index> sizes, At at) : sizes_(sizes), at_(std::move(at)) {}  // N_i, likewise
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

// Of somebody who keeps it.
std::shared_ptr<const PersonalPotential> borrowed(const PersonalPotential& potential);

struct PersonalProblem {
  PersonalClients clients;
  const Population* population = nullptr;
  std::vector<double> shared_precision;                         // of φ's normal prior about 0; empty: flat
  std::vector<double> population_centre, population_precision;  // of β's normal prior; empty: flat
  Index chains = 1;
  std::uint64_t seed = 1;

  Index shared() const { return clients.front()->shared(); }
  Index dimension() const { return shared() + population->parameters(); }
};

// What a client does in a round. The potentials and the population outlive the work.
ClientWork make_personal_work(const PersonalProblem& problem, const PersonalSettings& settings);

// Robbins and Monro's step for (φ, β) along the sum of the clients' (C(J), I).
class Approximation : public ServerStep {
 public:
  // The η-weighted average of the path, a column per chain.
  virtual ConstPanelView average() const = 0;
};
// memory_rate: what clients' memories take of a message, as the recipe has it.
std::unique_ptr<Approximation> make_approximation(const PersonalProblem& problem, const PersonalSettings& settings,
                                                  double memory_rate);

}  // namespace pollen
