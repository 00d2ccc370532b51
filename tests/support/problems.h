// Small problems and runs that tests of several rooms share.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "run/experiment.h"

namespace pollen::testing {

// Keeps every draw: draws[c] holds chain c's positions one after another.
class Collect : public Sink {
 public:
  void kept(ConstPanelView position, std::span<const double> potential) override {
    draws.resize(static_cast<std::size_t>(position.columns));
    for (Index c = 0; c < position.columns; ++c) {
      const auto column = position.column(c);
      auto& chain = draws[static_cast<std::size_t>(c)];
      chain.insert(chain.end(), column.begin(), column.end());
    }
    potentials.insert(potentials.end(), potential.begin(), potential.end());
  }
  std::vector<std::vector<double>> draws;
  std::vector<double> potentials;
};

struct Outcome {
  std::vector<std::vector<double>> draws;
  Counters counters;
  std::vector<std::string> warnings, notes;
};

inline Outcome sample(const std::string& text, const Overrides& overrides = {}, int threads = 1) {
  Experiment experiment(read_config_text(text, "test.toml", overrides), {.threads = threads});
  experiment.prepare();
  Collect collect;
  experiment.advance(experiment.config().run.iterations, collect);
  return {std::move(collect.draws), experiment.counters(), experiment.warnings(), experiment.notes()};
}

// Three heterogeneous clients in two dimensions, given by mean and precision.
inline const char* kGaussian = R"(
seed = 5
[model]
kind = "gaussian"
prior_sd = 3.0
[[client]]
mean = [1.0, -2.0]
precision = [[2.0, 0.3], [0.3, 1.0]]
[[client]]
mean = [0.0, 4.0]
precision = [[1.0, 0.0], [0.0, 5.0]]
[[client]]
mean = [-3.0, 0.5]
precision = [[0.5, 0.1], [0.1, 0.7]]
[run]
iterations = 1000
burn_in = 0
chains = 3
[sampler]
name = "lsd"
step = 0.05
)";

// Logistic regression on generated clients of different sizes, which exercises every oracle, compressor and policy.
inline const char* kLogistic = R"(
seed = 7
[model]
kind = "logistic"
[data]
source = "synthetic-logistic"
clients = 7
dimension = 5
min_size = 8
max_size = 30
[run]
iterations = 300
burn_in = 0
chains = 3
[sampler]
name = "qlsd++"
batch = 3
refresh = 20
step = 0.002
)";

}  // namespace pollen::testing
