// A configuration's problem with latents: the model, one potential a client, the population, the engine's settings.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/lazy_vector.h"
#include "federated.h"
#include "model/personal_model.h"
#include "personal/baselines.h"
#include "pollen/config.h"
#include "pollen/data.h"

namespace pollen {

struct PersonalParts {
  std::unique_ptr<PersonalModel> model;
  std::optional<MixedSpec> mixed;        // of a mixed-effects model,
  std::optional<ModelSpec> network;      // or the network whose last layer is the client's
  LazyVector<PersonalRows> train, test;  // one a client
  LazyVector<PersonalPotential> potentials;
  std::vector<Index> sizes;  // N_i
  std::unique_ptr<Population> population;
  PersonalProblem problem;
  ClientWork work;        // of fedsoul and fedsouk
  bool baseline = false;  // no population: the engine's state is (φ, z)

  const Network& net() const { return *network->network.network; }
  bool turns() const { return mixed && mixed->kind == MixedKind::linear; }  // Φz_i is all that rows show
  std::vector<std::string> labels() const;                                  // of (φ, β), or (φ, z)
  // The coordinates that chains should agree on. Of mixed-linear log σ alone; of a network with hidden units none.
  std::vector<std::size_t> identified() const;
  Index dimension() const { return baseline ? model->shared() + model->latent() : problem.dimension(); }
};

// ConfigError where columns do not fit. `data` outlives the result; of `model` a network is taken.
std::unique_ptr<PersonalParts> make_personal_parts(const Config& config, const ModelSpec& model,
                                                   const Federation& data);

// The columns that were picked, into the effective configuration.
void write_columns(const PersonalParts& parts, Config& config);

// A network's θ, a column a chain, by run.init. ConfigError where a file has other numbers.
Panel network_start(const PersonalParts& parts, const Config& config);
// For gradient descent from there: all clients' rows with one last layer, of which φ alone has a prior.
using Descend = std::function<void(Transport& by, const Prior& prior, std::span<const Index> rows)>;
void warm_up_together(const PersonalParts& parts, const Config& config, const Federation& data,
                      const FederatedEngine::MakeTransport& make, const Descend& descend);
// Where chains start: (φ, β), or a baseline's (φ, z). φ is 0, log σ too; mixed-linear: normals over √k, because at Φ =
// 0 no direction leads out; a network: `theta`, whose last layer is the population's mean unless that is said, or z.
Panel personal_start(const PersonalParts& parts, const Config& config, ConstPanelView theta);

std::unique_ptr<PersonalEngine> make_baseline_engine(const Config& config, const Recipe& recipe,
                                                     const PersonalParts& parts);
// fedsoul or fedsouk: what clients do goes into `parts`, the server's step comes back.
std::unique_ptr<Approximation> make_personal_round(const Config& config, const Recipe& recipe, PersonalParts& parts);

}  // namespace pollen
