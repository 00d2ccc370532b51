// Personalised federated-learning baselines on models with a shared and a personal part (pollen/mixed.h). A client's
// model is w = (φ, z), its loss f_i(w) = U_i(φ, z)/N_i; there is no population and no prior, and the average of clients
// is weighted by N_i, over those that take part. All are optimisers: states are iterates, not draws.
//
//   BaselineSettings settings{.step = 0.05, .local_steps = 5};
//   auto engine = make_baseline("fedrep", problem, settings);
//   engine->start(position);  // (φ, z), a column a chain: the server and every client start there
//   while (engine->iteration() < 500) engine->advance(1);
//   engine->personal_shared(client, chain, phi);  // what the client predicts with,
//   engine->latent(client, chain, z);             // both parts
//
// An iteration is a round with its local steps (l2gd: one coin). position() is the server's (φ, z); a part no server
// has is the N_i-weighted mean of the clients'. Bits are 64 a word the published algorithm sends; counters().rounds are
// the iterations in which some chain sent any.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "personal/personal.h"
#include "round/engine.h"

namespace pollen {

// An engine whose clients have models of their own.
class PersonalEngine : public Engine {
 public:
  virtual void latent(Index client, Index chain, std::span<double> out) const = 0;  // z,
  virtual void personal_shared(Index client, Index chain,
                               std::span<double> out) const = 0;  // φ the client predicts with
};

// Each baseline reads the fields its row of the table names (PersonalBaseline::keys) and no others.
struct BaselineSettings {
  double step = 0;             // of gradient steps on f_i; it must be given
  Index local_steps = 10;      // a round; fedrep: those on φ
  double server_step = 1;      // the server moves by it times the clients' mean move
  double penalty = 1;          // λ of λ/2 |v_i - w|² (ditto) and of λ/2 |w_i - mean|² (l2gd)
  double mixture = 0.5;        // apfl: α of α v_i + (1-α) w; where it starts if it is adapted
  bool adapt_mixture = false;  // apfl: a client's α takes a gradient step a round
  double aggregate = 0.2;      // l2gd: p, the chance that an iteration is an aggregation
  Index head_steps = 10;       // fedrep: steps on z_i a round, before those on φ
  double inner_step = 0.01;    // per-fedavg: α of w - α ∇f_i(w), a client's personalisation
  bool hessian_free = false;   // per-fedavg: the Hessian's product by differences (HF); else left out (FO)
  Participation participation = {};
};

struct PersonalBaseline {
  const char* name;
  const char* paper;
  const char* summary;
  const char* keys;  // the settings it reads, separated by spaces
};
const std::vector<PersonalBaseline>& baseline_table();
const PersonalBaseline* find_baseline(const std::string& name);  // null where there is none

// ConfigError where the name is unknown or a setting it reads is out of range, with keys as "sampler.step". The
// potentials outlive the engine; of the problem only clients, chains and seed are read.
std::unique_ptr<PersonalEngine> make_baseline(const std::string& name, const PersonalProblem& problem,
                                              const BaselineSettings& settings);

}  // namespace pollen
