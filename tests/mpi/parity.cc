// Compares every sampler over the ranks of one job with the same run in rank 0's process: draws, counts and saved
// states. One launch runs many samplers, because launching takes longer than sampling.
#include <cstdio>

#include "support/federated.h"
#include "support/problems.h"

namespace pollen {
namespace {

struct Run {
  std::vector<std::vector<double>> draws;
  std::vector<double> potentials;
  Bytes state;
  bool operator==(const Run&) const = default;
};

Run sample(const Config& config, const ExperimentOptions& options) {
  Experiment experiment(config, options);
  experiment.prepare();
  testing::Collect collect;
  experiment.advance(experiment.config().run.iterations, collect);
  return {std::move(collect.draws), std::move(collect.potentials), experiment.save()};
}

bool same(Ranks& ranks, const Config& config, int threads) {
  if (ranks.rank() != 0) {
    serve_rank(
        ranks, [&] { return config; }, threads);
    return true;
  }
  const RanksAtWork at_work(ranks);
  ExperimentOptions options;
  options.threads = threads;
  options.ranks = &ranks;
  return sample(config, options) == sample(config, {});
}

int check() {
  const auto ranks = open_ranks();
  int wrong = 0;
  const auto hold = [&](const char* name, const char* text, const Overrides& keys) {
    for (const int threads : {1, 2}) {
      if (same(*ranks, read_config_text(text, name, keys), threads)) continue;
      std::printf("%s: other draws with %d ranks of %d threads\n", name, ranks->size(), threads);
      ++wrong;
    }
  };
  for (const FederatedSampler& sampler : kFederatedSamplers) {
    hold(sampler.name, kFederated, sampler.keys);
    hold(sampler.name, kFederated, with_many_clients(sampler));
  }
  hold("ula", kFederated, {"sampler.name=ula", "sampler.batch=1.0"});
  hold("fedsoul", kLatents, {});
  hold("fedsouk", kLatents, {"sampler.name=fedsouk", "sampler.kernel=hmc", "sampler.compressor=qsgd"});
  hold("hmc", kLatents, {"sampler.name=hmc"});
  hold("fedrep", kLatents, {"sampler.name=fedrep", "sampler.step=0.01"});
  hold("l2gd", kLatents, {"sampler.name=l2gd", "sampler.step=0.01"});
  if (ranks->rank() == 0) std::printf("%d wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace pollen

int main() {
  try {
    return pollen::check();
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
