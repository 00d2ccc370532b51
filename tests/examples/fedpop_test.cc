// The FedPop paper's synthetic experiment: with few rows a client, a common population beats heads of one's own, and
// both beat one model for all. Real sampling; the error is that of Φz_i, which no rotation changes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pollen/run.h"

namespace pollen {
namespace {

double personal_error(const Overrides& set) {
  Experiment experiment(read_config_file(std::string(POLLEN_SOURCE_DIR) + "/examples/fedpop-paper.toml", set));
  experiment.prepare();
  Sink nobody;
  experiment.advance(experiment.config().run.iterations, nobody);
  const MixedTruth truth = synthetic_mixed_truth(experiment.config().data, experiment.config().seed);
  const auto k = static_cast<std::size_t>(experiment.config().data.dimension);
  const std::size_t d = truth.phi.size() / k;
  double sum = 0;
  for (Index i = 0; i < experiment.clients(); ++i) {
    const OwnDraws own = experiment.own_draws(i, 50);
    for (std::size_t r = 0; r < k; ++r) {
      double miss = own.effects.column(0)[r];
      for (std::size_t j = 0; j < d; ++j) miss -= truth.phi[j * k + r] * truth.z[static_cast<std::size_t>(i) * d + j];
      sum += miss * miss;
    }
  }
  return std::sqrt(sum / static_cast<double>(experiment.clients()));
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
