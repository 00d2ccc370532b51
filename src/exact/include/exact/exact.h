// The samplers without a step-size error: nuts (Hoffman and Gelman 2014; Betancourt 2017), hmc (Duane et al. 1987; Neal
// 2011) and mala (Roberts and Tweedie 1996). docs/exact.md says why their law is the posterior and what an exchange
// carries.
//
// A chain is a state machine that says at which position it needs the potential and goes on with the answer. An
// exchange asks a Posterior for all chains at once, so that a leapfrog step of all chains costs one exchange however
// far apart they are in their trajectories. An iteration is one transition.
//
//   HeldPosterior posterior({&potential}, {&prior}, 1.0);
//   auto engine = make_engine({.kernel = "nuts", .dimension = d, .settings = {.warm_up = 1000}}, posterior);
//   engine->start(position);
//   while (engine->iteration() < 2000) engine->advance(1);
//
// Engines are not thread-safe.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "exact/posterior.h"
#include "pollen/errors.h"
#include "pollen/recipe.h"
#include "round/engine.h"

namespace pollen::exact {

using Settings = ReferenceConfig;  // of which these kernels read step, warm_up, and target_accept to max_depth

struct Setup {
  std::string kernel = "nuts";  // nuts, hmc or mala
  Index dimension = 1;
  Index chains = 1;
  std::uint64_t seed = 1;
  std::uint32_t client = 0;  // selects the random streams of a client that samples by itself; 0 is for the run's chains
  // By how many transitions a chain may be ahead of the slowest one, at least 1. Only what is asked together depends on
  // it, not the draws. With 1, nothing is under way between two iterations.
  Index ahead = 1;
  std::int64_t last = std::numeric_limits<std::int64_t>::max();  // no chain goes on after so many transitions
  Settings settings = {};
  bool any_fall = false;  // whether an energy may fall by any amount after the burn-in; otherwise that is an error
};

// Throws ConfigError if a setting is out of range.
std::unique_ptr<Engine> make_engine(const Setup& setup, std::unique_ptr<Posterior> posterior);

// Reports the settings among `keys` (a list separated by spaces) that are out of range, as "sampler.max_depth".
void check_settings(const Settings& settings, std::string_view keys, Problems& problems);

}  // namespace pollen::exact
