// Measures how fast an experiment advances on one thread.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "run/experiment.h"

namespace pollen::bench {

// Prints chain-iterations per second of CPU time, after a warm-up that is not counted.
inline void print_rate(const std::string& problem, const Overrides& set, std::int64_t chunk, double seconds) {
  Experiment experiment(read_config_text(problem, "bench", set), {.threads = 1});
  experiment.prepare();
  Sink nobody;
  experiment.advance(2 * chunk, nobody);
  const std::clock_t start = std::clock();
  double spent = 0;
  std::int64_t done = 0;
  while (spent < seconds) {
    experiment.advance(chunk, nobody);
    done += chunk;
    spent = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  }
  std::printf("%.0f\n", static_cast<double>(done * experiment.config().run.chains) / spent);
}

}  // namespace pollen::bench
