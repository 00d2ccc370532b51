// Centralised reference samplers and federated competitors (docs/algorithms.md section 8), each an Engine over R
// independent chains with target exp(-U/T), U = U_0 + Σ U_i. Engines are not thread-safe.
//
// References see the pooled potential and exchange nothing, so they count no rounds and no bits. Competitors count
// every vector that would cross the network, at 64 bits per number. An iteration is one Langevin step (ula,
// sgld-pooled, svrg-ld, psgld, fsgld), one draw (consensus) or one round with its local steps (dg-lmc, fedavg,
// scaffold, fedpa, fedbe); the members of an ensemble do not move. What is learned in the warm-up is frozen after it.
//
//   ReferenceProblem problem{clients, &prior, d, 4};
//   auto engine = make_reference("ula", problem, {.step = 1e-3});
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

using ReferenceSettings = ReferenceConfig;  // pollen/recipe.h

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
  bool federated;   // true if clients and a server exchange messages, so that bits are counted
  bool samples;     // false for an optimiser, whose states are the server's iterates
  bool needs_step;  // true if the user must give a step
};
const Registry<ReferenceSampler>& reference_table();
inline const ReferenceSampler* find_reference(const std::string& name) { return reference_table().find(name); }

// Builds an engine. Throws ConfigError if the name is unknown or a setting that the sampler reads is out of range; the
// error names keys such as "sampler.step".
std::unique_ptr<Engine> make_reference(const std::string& name, const ReferenceProblem& problem,
                                       const ReferenceSettings& settings);

}  // namespace pollen
