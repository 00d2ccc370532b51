// The FedPop paper's synthetic experiment: with few rows per client, a common population beats separate heads, and both
// beat one model for all. The runs really sample. The error is that of Φz_i, which no rotation changes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "pollen/scores.h"
#include "run/experiment.h"
#include "support/source_dir.h"

namespace pollen {
namespace {

double personal_error(const Overrides& set) {
  Experiment experiment(read_config_file(pollen::source_dir() + "/examples/fedpop-paper.toml", set));
  experiment.prepare();
  Sink nobody;
  experiment.advance(experiment.config().run.iterations, nobody);
  const DataSpec& data = experiment.config().data;
  const MixedTruth truth = synthetic_mixed_truth(data, experiment.config().seed);
  std::vector<double> effects;
  for (Index i = 0; i < experiment.clients(); ++i) {
    const OwnDraws own = experiment.personal()->own_draws(i, {.draws = 50});
    effects.insert(effects.end(), own.effects.column(0).begin(), own.effects.column(0).end());
  }
  return stats::aligned_error(effects, truth.phi, truth.z, data.dimension, data.latent_dimension, experiment.clients());
}

double median_over_seeds(const Overrides& set) {
  std::vector<double> errors;
  for (int seed = 1; seed <= 5; ++seed) {
    Overrides all = {fmt::format("seed={}", seed), "run.chains=1"};
    all.insert(all.end(), set.begin(), set.end());
    errors.push_back(personal_error(all));
  }
  std::ranges::sort(errors);
  return errors[2];
}

TEST(FedpopPaper, APopulationBeatsHeadsAloneAndBothBeatOneModel) {
  const double fedsoul = median_over_seeds({});
  const double fedrep = median_over_seeds({"sampler.name=fedrep", "sampler.step=0.003"});
  const double fedavg = median_over_seeds({"sampler.name=fedavg", "sampler.step=0.003"});
  RecordProperty("fedsoul", std::to_string(fedsoul));
  RecordProperty("fedrep", std::to_string(fedrep));
  RecordProperty("fedavg", std::to_string(fedavg));
  EXPECT_LT(fedsoul, fedrep);
  EXPECT_LT(2 * fedrep, fedavg);
}

}  // namespace
}  // namespace pollen
