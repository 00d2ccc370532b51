// Centralised reference samplers and federated competitors, each an Engine over R independent chains.
//
// Target exp(-U/T), U = U_0 + Σ U_i. References see the pooled potential and exchange nothing (no rounds, no bits);
// competitors count every vector that would cross the network, 64 bits a word. An iteration is one transition (mala,
// hmc, nuts), one Langevin step (ula, sgld-pooled, svrg-ld, psgld, fsgld), one draw (consensus) or one round with its
// local steps (dg-lmc, fedavg, scaffold, fedpa, fedbe); an ensemble's members stay where they start. What is learned in
// the warm-up is frozen after it.
//
//   ReferenceProblem problem{clients, &prior, d, 4};
//   auto engine = make_reference("nuts", problem, {.warm_up = 1000});
//   engine->start(position);
//   while (engine->iteration() < 2000) engine->advance(1);
//
// The potentials and the prior must outlive the engine.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pollen/model.h"
#include "pollen/recipe.h"
#include "pollen/types.h"
#include "round/engine.h"

namespace pollen {

// Rows without labels that the server has.
struct Unlabelled {
  Index rows = 0;
  std::vector<double> labels = {};                        // what `labelled` looks at
  std::vector<std::unique_ptr<Potential>> labelled = {};  // one a class: the rows as if all were of it
  // Class probabilities, rows × classes.
  std::function<void(std::span<const double> theta, std::span<double> out, Scratch& scratch)> predict = {};
};

struct ReferenceProblem {
  std::vector<const Potential*> clients = {};
  const Prior* prior = nullptr;
  Index dimension = 0;
  Index chains = 1;
  double temperature = 1;
  std::uint64_t seed = 1;
  std::shared_ptr<const Unlabelled> unlabelled = {};  // fedbe's distillation
  // All rows as one potential, client after client, where that is less work than a sum over clients; empty: that sum.
  std::function<std::shared_ptr<const Potential>()> pool = {};
  std::vector<std::shared_ptr<const Potential>> held = {};  // the clients', where nobody else has them
};

// Each sampler reads the fields its row of the table names (ReferenceSampler::keys) and no others.
struct ReferenceSettings {
  // γ of a Langevin or gradient step, ε of a leapfrog step. Empty: mala, hmc and nuts find it in the warm-up, the
  // others refuse. Given: mala, hmc and nuts adapt nothing, neither step nor mass.
  std::optional<double> step = {};
  Batch batch = {};             // rows of a gradient: of all rows (sgld-pooled, svrg-ld, psgld), else of a client's
  std::int64_t warm_up = 1000;  // iterations, the run's burn-in

  double target_accept = 0;                // 0: 0.574 for mala, 0.8 for hmc and nuts
  bool adapt_mass = true;                  // hmc, nuts: a diagonal mass matrix from the warm-up's variances
  Index leapfrogs = 0;                     // hmc: leapfrog steps of a trajectory; 0: trajectory / ε
  double trajectory = 1.5707963267948966;  // hmc: its length; a quarter of the period where the mass fits
  double jitter = 0.5;                     // hmc: the length is multiplied by a uniform number in 1 ± jitter
  Index most_leapfrogs = 1024;             // hmc: no trajectory is longer
  int max_depth = 10;                      // nuts: a trajectory has at most 2^max_depth - 1 leapfrog steps

  double decay = 0.99;    // psgld: of the average of squared gradients
  double damping = 1e-5;  // psgld: added to its root
  Index refresh = 100;    // svrg-ld: iterations between two anchors

  Index local_steps = 10;                    // dg-lmc, fedavg, scaffold: a round; fsgld: a visit; fedpa: a sample
  std::optional<double> server_step = {};    // fedavg, scaffold: 1 unless set; fedpa: step / clients unless set
  std::optional<double> tolerance = {};      // dg-lmc: ρ of ‖x_i - θ‖²/2ρ; 10 step unless set
  std::string local_kernel = "nuts";         // consensus, fsgld: how clients sample their own posteriors: nuts or mala
  bool diagonal = false;                     // consensus, fsgld: variances only, for large dimensions
  std::string surrogate = "draws";           // fsgld: fitted to draws of clients' own posteriors, or swag: to descents
  std::optional<double> swag_rate = {};      // fsgld, swag: of the descent on U_s N/N_s + U_0; step unless set
  std::optional<double> swag_least_sd = {};  // fsgld, swag: no surrogate is narrower; from step and prior unless set
  Index samples = 10;                        // fedpa: ℓ, local samples a round; fedbe: models drawn for the ensemble
  Index local_burn_in = 10;                  // fedpa: local steps before the first
  std::string server_law = "gaussian";       // fedbe: of clients' models: gaussian or dirichlet
  bool distill = false;                      // fedbe: the server's model learns from the ensemble's predictions
  Index distill_steps = 100;                 // fedbe: gradient steps of a round's distillation
  double distill_rate = 0.01;                // fedbe: their rate, on the mean loss of a row
  double shrinkage = 1;                      // fedpa: ρ of Σ = ρ_ℓ I + (1-ρ_ℓ) S, ρ_ℓ = 1/(1 + (ℓ-1)ρ)
};

struct ReferenceSampler {
  const char* name;
  const char* paper;
  const char* summary;
  const char* keys;          // the settings it reads, separated by spaces
  bool federated;            // clients and a server, so bits are counted
  bool samples;              // false: an optimiser, whose states are the server's iterates
  bool needs_step;           // no step of its own
  bool transitions = false;  // accept statistics, tree depths and the like are kept with the draws
};
const std::vector<ReferenceSampler>& reference_table();
const ReferenceSampler* find_reference(const std::string& name);  // null where there is none

// ConfigError where the name is unknown or a setting it reads is out of range, with keys as "sampler.step".
std::unique_ptr<Engine> make_reference(const std::string& name, const ReferenceProblem& problem,
                                       const ReferenceSettings& settings);

}  // namespace pollen
