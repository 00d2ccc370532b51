// Centralised reference samplers and federated competitors (docs/algorithms.md section 8), each an Engine over R
// independent chains with target exp(-U/T), U = U_0 + Σ U_i. Engines are not thread-safe.
//
// References see the pooled potential and exchange nothing, so they count no rounds and no bits. Competitors count
// every vector that would cross the network, at 64 bits per number. An iteration is one transition (mala, hmc, nuts),
// one Langevin step (ula, sgld-pooled, svrg-ld, psgld, fsgld), one draw (consensus) or one round with its local steps
// (dg-lmc, fedavg, scaffold, fedpa, fedbe); the members of an ensemble do not move. What is learned in the warm-up is
// frozen after it.
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

#include "base/registry.h"
#include "pollen/model.h"
#include "pollen/recipe.h"
#include "pollen/types.h"
#include "round/engine.h"

namespace pollen {

// Rows without labels that the server holds, for distillation.
struct Unlabelled {
  Index rows = 0;
  std::vector<double> labels = {};                        // storage that `labelled` refers to
  std::vector<std::unique_ptr<Potential>> labelled = {};  // one per class: all rows as if they had this label
  // Computes class probabilities as a rows × classes table.
  std::function<void(std::span<const double> theta, std::span<double> out, Scratch& scratch)> predict = {};
};

struct ReferenceProblem {
  std::vector<const Potential*> clients = {};
  const Prior* prior = nullptr;
  Index dimension = 0;
  Index chains = 1;
  double temperature = 1;
  std::uint64_t seed = 1;
  std::shared_ptr<const Unlabelled> unlabelled = {};  // needed by fedbe's distillation
  // Makes one potential of all rows, client after client, if that is less work than a sum over clients. If empty, the
  // sum over clients is used.
  std::function<std::shared_ptr<const Potential>()> pool = {};
  // The clients' potentials, if this object must keep them alive.
  std::vector<std::shared_ptr<const Potential>> held = {};
};

// Settings of all samplers. A sampler reads the fields named in its row of the table (ReferenceSampler::keys) and no
// others.
struct ReferenceSettings {
  // The γ of a Langevin or gradient step, or the ε of a leapfrog step. If empty, mala, hmc and nuts find it in the
  // warm-up and the others refuse to run. If given, mala, hmc and nuts adapt neither step nor mass.
  std::optional<double> step = {};
  // Rows per gradient, out of all rows (sgld-pooled, svrg-ld, psgld) or of one client's rows (the others).
  Batch batch = {};
  std::int64_t warm_up = 1000;  // iterations of the run's burn-in

  double target_accept = 0;                // 0 means 0.574 for mala and 0.8 for hmc and nuts
  bool adapt_mass = true;                  // hmc, nuts: take a diagonal mass matrix from the warm-up's variances
  Index leapfrogs = 0;                     // hmc: leapfrog steps per trajectory; 0 means trajectory / ε
  double trajectory = 1.5707963267948966;  // hmc: length of a trajectory; a quarter of the period if the mass fits
  double jitter = 0.5;                     // hmc: the length is multiplied by a uniform number in 1 ± jitter
  Index most_leapfrogs = 1024;             // hmc: upper limit of the leapfrog steps
  int max_depth = 10;                      // nuts: a trajectory has at most 2^max_depth - 1 leapfrog steps

  double decay = 0.99;    // psgld: decay of the average of squared gradients
  double damping = 1e-5;  // psgld: added to the root of that average
  Index refresh = 100;    // svrg-ld: iterations between two anchors

  Index local_steps = 10;                  // dg-lmc, fedavg, scaffold: per round; fsgld: per visit; fedpa: per sample
  std::optional<double> server_step = {};  // fedavg, scaffold: default 1; fedpa: default step / clients
  std::optional<double> tolerance = {};    // dg-lmc: ρ of ‖x_i - θ‖²/2ρ; default 10 step
  std::string local_kernel = "nuts";       // consensus, fsgld: kernel of the clients' own posteriors, nuts or mala
  bool diagonal = false;                   // consensus, fsgld: keep variances only, for large dimensions
  std::string surrogate = "draws";  // fsgld: "draws" fits to draws of the clients' own posteriors, "swag" to descents
  std::optional<double> swag_rate = {};      // fsgld, swag: rate of the descent on U_s N/N_s + U_0; default step
  std::optional<double> swag_least_sd = {};  // fsgld, swag: least sd of a surrogate; default from step and prior
  Index samples = 10;                   // fedpa: ℓ, local samples per round; fedbe: models drawn for the ensemble
  Index local_burn_in = 10;             // fedpa: local steps before the first sample
  std::string server_law = "gaussian";  // fedbe: law of the clients' models, gaussian or dirichlet
  bool distill = false;                 // fedbe: the server's model learns from the ensemble's predictions
  Index distill_steps = 100;            // fedbe: gradient steps per distillation
  double distill_rate = 0.01;           // fedbe: rate of these steps, for the mean loss per row
  double shrinkage = 1;                 // fedpa: ρ of Σ = ρ_ℓ I + (1-ρ_ℓ) S, ρ_ℓ = 1/(1 + (ℓ-1)ρ)
};

namespace reference {
struct Chains;
class Kernel;
}  // namespace reference

// One entry of the table of references and competitors.
struct ReferenceSampler {
  const char* name;
  const char* paper;
  const char* summary;
  const char* keys;  // settings that the sampler reads, separated by spaces
  std::unique_ptr<reference::Kernel> (*make)(const reference::Chains& chains, const ReferenceSettings& settings);
  bool federated;            // true if clients and a server exchange messages, so that bits are counted
  bool samples;              // false for an optimiser, whose states are the server's iterates
  bool needs_step;           // true if the user must give a step
  bool transitions = false;  // true if acceptance statistics, tree depths and the like are kept with the draws
};
const Registry<ReferenceSampler>& reference_table();
inline const ReferenceSampler* find_reference(const std::string& name) { return reference_table().find(name); }

// Builds an engine. Throws ConfigError if the name is unknown or a setting that the sampler reads is out of range; the
// error names keys such as "sampler.step".
std::unique_ptr<Engine> make_reference(const std::string& name, const ReferenceProblem& problem,
                                       const ReferenceSettings& settings);

}  // namespace pollen
