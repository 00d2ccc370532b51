// The problem with latents of a configuration (docs/personal.md): the model, one potential per client, the population,
// and the settings of the engine. Several threads may use different clients at once.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "exact/joint.h"
#include "federated.h"
#include "mixed_units.h"
#include "model/personal_model.h"
#include "network/network.h"
#include "personal/baselines.h"
#include "pollen/config.h"
#include "pollen/data.h"
#include "pollen/round.h"
#include "round/local_work.h"

namespace pollen {

struct PersonalParts {
  std::unique_ptr<PersonalModel> model;
  std::optional<MixedSpec> mixed;        // set for a mixed-effects model
  std::optional<ModelSpec> network;      // set for a network whose last layer is the client's
  LazyVector<PersonalRows> train, test;  // one per client
  LazyVector<PersonalPotential> potentials;
  std::vector<Index> sizes;  // N_i
  std::unique_ptr<Population> population;
  PersonalProblem problem;
  MixedUnits units;                        // in which (φ, β) is reported, or for a baseline (φ, z)
  MixedUnits model_units;                  // in which (φ, z) is reported
  ClientWork work;                         // what clients do in a round
  PersonalPoint point;                     // the model that a client predicts with: for fedsoul and fedsouk (φ, z)
  std::optional<exact::JointPrior> prior;  // of (φ, β), for hmc
  bool shows_curvature = true;             // whether all clients show their Hessians
  bool baseline = false;                   // a baseline has no population, and its state is (φ, z)
  // Whether every client is in a process of its own. Then nobody sees the parts of a baseline's model that clients
  // keep.
  bool apart = false;

  const Network& net() const { return *network->network.network; }
  bool may_rotate() const {
    return mixed && mixed->kind == MixedKind::linear;
  }  // Φ may rotate: rows determine only Φz_i
  // Whether chains can start at the fit without latents, for which clients show their Hessians.
  bool pools() const { return mixed && !may_rotate() && shows_curvature; }
  std::vector<std::string> labels() const;  // names of (φ, β), or of (φ, z), as they are reported
  // The coordinates that chains should agree on: for mixed-linear only log σ, for a network with hidden units none.
  std::vector<std::size_t> identified() const;
  Index dimension() const { return baseline ? model->shared() + model->latent() : problem.dimension(); }
  // The coordinates that are reported: all, but only the server's part of a baseline's model if clients are apart.
  bool shows_part() const { return baseline && apart; }
  Index shown() const { return shows_part() ? work.shown : dimension(); }
  // Puts the server's part of a baseline's model into a whole one, whose other coordinates are 0.
  Panel whole_position(ConstPanelView shown) const;
  Panel in_data_units(ConstPanelView shown) const;  // takes what is reported to the units of the data
};

// Makes the problem. Throws ConfigError if columns do not fit. `data` must outlive the result. Only the network of
// `model` is used, if it has one.
std::unique_ptr<PersonalParts> make_personal_parts(const Config& config, const ModelSpec& model,
                                                   const Federation& data);

// Writes the columns that were chosen into the effective configuration.
void write_columns(const PersonalParts& parts, Config& config);

// The starting weights of a network by run.init, one column per chain. Throws ConfigError if a file has the wrong
// number of values.
Panel network_start(const PersonalParts& parts, const Config& config);
// Gradient descent before the run, on the rows of all clients with one common last layer. Only φ has a prior there.
// `descend` is called with a transport to the clients.
using Descend = std::function<void(Transport& by, const Prior& prior, std::span<const Index> rows)>;
void warm_up_together(const PersonalParts& parts, const Config& config, const Federation& data,
                      const MakeTransport& make, const Descend& descend);
// The prior of a whole network in that warm-up.
Prior warm_up_prior(const PersonalParts& parts);
// Where chains start: (φ, β), or (φ, z) for a baseline. In general φ and log σ start at 0 (start_pooled() may move
// them). For mixed-linear, Φ starts at standard normals over √k, because no gradient leads away from Φ = 0. For a
// network φ comes from `theta`, whose last layer becomes the population's mean unless the configuration gives one, or
// the z of a baseline.
Panel personal_start(const PersonalParts& parts, const Config& config, ConstPanelView theta);

// The prior of (φ, β) for hmc (joint_prior.cc), in the units of the standardised columns. Throws ConfigError if the
// data do not tell its scales.
exact::JointPrior joint_prior(const Config& config, const PersonalParts& parts, const Federation& data);

// Draws the standard deviations of the population from their prior, as starting positions of hmc.
void draw_spreads(const PersonalParts& parts, const Config& config, PanelView start);

// The recipe of a sampler of such a problem. For fedsoul and fedsouk messages end with the numbers for β, which go
// whole.
Recipe personal_recipe(Config& config, Index clients, const PersonalParts& parts, std::vector<std::string>& warnings);

// Puts the clients' work and their `point` into `parts` and returns the server's step, which is an Approximation unless
// the sampler is a baseline.
std::unique_ptr<ServerStep> make_personal_round(const Config& config, const Recipe& recipe, PersonalParts& parts);

}  // namespace pollen
