// Runs over ranks, to be compared with the same run in one process.
#pragma once

#include "support/problems.h"
#include "support/rank_queues.h"

namespace pollen::testing {

struct RankRun {
  Outcome outcome;
  std::vector<double> potentials;
  Bytes state;  // at the end of the run
};

inline RankRun finish(Experiment& experiment, std::int64_t iterations) {
  Collect collect;
  experiment.advance(iterations, collect);
  return {{std::move(collect.draws), experiment.counters(), experiment.warnings(), experiment.notes()},
          std::move(collect.potentials),
          experiment.save()};
}

// Runs a number of iterations from the start or from a saved state.
struct RankWorld {
  std::string text;
  Overrides overrides;

  Config config() const { return read_config_text(text, "test.toml", overrides); }
  RankRun alone(std::int64_t iterations, const Bytes& from = {}) const { return run({}, iterations, from); }
  RankRun over(int ranks, std::int64_t iterations, const Bytes& from = {}, int threads = 1) const {
    RankQueues queues(ranks);
    return queues.run(
        [&](Ranks& first) {
          ExperimentOptions options;
          options.threads = threads;
          options.ranks = &first;
          return run(options, iterations, from);
        },
        [&](Ranks& other) {
          serve_rank(
              other, [&] { return config(); }, threads);
        });
  }

 private:
  RankRun run(const ExperimentOptions& options, std::int64_t iterations, const Bytes& from) const {
    Experiment experiment(config(), options);
    if (from.empty())
      experiment.prepare();
    else
      experiment.load(from);
    return finish(experiment, iterations);
  }
};

}  // namespace pollen::testing
