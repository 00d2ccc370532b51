// Personalised federated-learning baselines on models with a shared and a personal part (docs/personal.md). A client's
// model is w = (φ, z) and its loss is f_i(w) = U_i(φ, z)/N_i. There is no population and no prior, and averages over
// participants are weighted by N_i. All are optimisers: their states are iterates, not draws. One thread per engine.
//
//   BaselineSettings settings{.step = 0.05, .local_steps = 5};
//   auto engine = make_baseline("fedrep", problem, settings);
//   engine->start(position);                      // (φ, z), one column per chain, for the server and every client
//   while (engine->iteration() < 500) engine->advance(1);
//   engine->personal_shared(client, chain, phi);  // the two parts of the model
//   engine->latent(client, chain, z);             // that the client predicts with
//
// An iteration is a round with its local steps (for l2gd: one coin). position() is the server's (φ, z); a part that the
// server does not have is the N_i-weighted mean of the clients'. Every word that the published algorithm sends counts
// as 64 bits, and counters().rounds is the number of iterations in which some chain sent anything.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "personal/personal.h"
#include "round/engine.h"

namespace pollen {

// An engine whose clients have models of their own. The two functions copy a client's z, and the φ it predicts with.
class PersonalEngine : public Engine {
 public:
  virtual void latent(Index client, Index chain, std::span<double> out) const = 0;
  virtual void personal_shared(Index client, Index chain, std::span<double> out) const = 0;
};

// Settings of a baseline. Each one reads only the fields that its row of the table names (PersonalBaseline::keys).
struct BaselineSettings {
  double step = 0;             // γ, the size of gradient steps on f_i; it must be given
  Index local_steps = 10;      // gradient steps per round; for fedrep those on φ
  double server_step = 1;      // the server moves by this factor times the clients' mean move
  double penalty = 1;          // λ of λ/2 |v_i - w|² (ditto) and of λ/2 |w_i - mean|² (l2gd)
  double mixture = 0.5;        // apfl: α of α v_i + (1-α) w, or its start if it is adapted
  bool adapt_mixture = false;  // apfl: a client's α takes one gradient step per round
  double aggregate = 0.2;      // l2gd: p, the chance that an iteration is an aggregation
  Index head_steps = 10;       // fedrep: steps on z_i per round, before those on φ
  double inner_step = 0.01;    // per-fedavg: α of w - α ∇f_i(w), the step that personalises
  bool hessian_free = false;   // per-fedavg: the Hessian is applied by differences (HF), else left out (FO)
  Participation participation = {};
};

struct PersonalBaseline {
  const char* name;
  const char* paper;
  const char* summary;
  const char* keys;  // the settings it reads, separated by spaces
};
const std::vector<PersonalBaseline>& baseline_table();
const PersonalBaseline* find_baseline(const std::string& name);  // null if there is none

// Makes a baseline. Throws ConfigError if the name is unknown or a setting that the baseline reads is out of range; it
// names keys as in "sampler.step". The potentials must outlive the engine. Only the clients, chains and seed of the
// problem are used.
std::unique_ptr<PersonalEngine> make_baseline(const std::string& name, const PersonalProblem& problem,
                                              const BaselineSettings& settings);

}  // namespace pollen
