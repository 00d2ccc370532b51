// Personalised federated-learning baselines on models with a shared and a personal part (docs/personal.md). A client's
// model is w = (φ, z) and its loss is f_i(w) = U_i(φ, z)/N_i. There is no population and no prior, and averages over
// participants are weighted by N_i. All are optimisers: their states are iterates, not draws.
//
// They run as ordinary rounds (pollen/round.h), whose halves make_baseline() returns:
//
//   Baseline baseline = make_baseline("fedrep", problem, {.step = 0.05, .local_steps = 5});
//   // baseline.work is what clients compute and baseline.step how the server moves.
//   baseline.model(client, position, latents, w);  // the model w that the client predicts with
//
// An iteration is a round with its local steps (for l2gd: one coin). A chain's position is the server's (φ, z); a part
// that the server does not have is the N_i-weighted mean of the clients'. Words count as 64 bits where the published
// algorithm sends them, and rounds where it sends anything.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "personal/personal.h"

namespace pollen {

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
  const char* keys;          // the settings it reads, separated by spaces
  Index per_coordinate = 1;  // how many numbers a message has per coordinate that the server has
};
const std::vector<PersonalBaseline>& baseline_table();
const PersonalBaseline* find_baseline(const std::string& name);  // null if there is none

// Writes the model w = (φ, z) that a client predicts with, from a chain's position and the client's latents there. In
// one chain, latents are work.latents numbers. Thread-safe.
using PersonalPoint = std::function<void(Index client, std::span<const double> position,
                                         std::span<const double> latents, std::span<double> w)>;

struct Baseline {
  ClientWork work;
  std::unique_ptr<ServerStep> step;
  PersonalPoint model;
};

// Makes a baseline. Throws ConfigError if the name is unknown or a setting that the baseline reads is out of range; it
// names keys as in "sampler.step". The potentials must outlive the result. Only the clients, chains and seed of the
// problem are used.
Baseline make_baseline(const std::string& name, const PersonalProblem& problem, const BaselineSettings& settings);

}  // namespace pollen
