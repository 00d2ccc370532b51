// The table of runs that a fleet computes, over which a fleet is compared with clients that are computed one by one. A
// recipe that fleets learn to run gets a row here.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "pollen/config.h"

namespace pollen::testing {

inline const char* const kFleetRun = R"(
seed = 3
[model]
kind = "mlp"
sizes = [5]
prior_sd = 1.0
[compute]
engine = "torch"
[data]
source = "titanic"
clients = 4
[run]
iterations = 30
burn_in = 0
chains = 2
init = "random"
[sampler]
batch = 16
refresh = 7
step = 1e-4
)";

struct FleetCase {
  std::string name;
  Overrides keys;
  // Messages are rounded at random. If the last bits of a gradient differ, a level may be rounded the other way, which
  // moves a coordinate of the position by up to step · ‖v‖ / levels.
  bool quantised = false;
};
inline void PrintTo(const FleetCase& one, std::ostream* out) { *out << one.name; }

inline const std::vector<FleetCase> kFleetCases = {
    {"minibatch", {"sampler.name=sgld"}},
    {"one_chain", {"sampler.name=sgld", "run.chains=1"}},
    {"warmed_up", {"sampler.name=sgld", "warm_up.epochs=2", "warm_up.batch=300"}},
    {"mean_likelihood", {"sampler.name=sgld", "model.likelihood=mean", "data.limit=2000", "sampler.step=0.01"}},
    {"minibatch_memory",
     {"sampler.name=custom", "sampler.oracle=minibatch", "sampler.memory=true", "sampler.memory_rate=0.5"}},
    {"svrg", {"sampler.name=lsd++", "sampler.memory=false"}},
    {"svrg_memory", {"sampler.name=qlsd++", "sampler.compressor=identity", "sampler.memory_rate=0.3"}},
    {"bernoulli",
     {"sampler.name=qlsd++", "sampler.compressor=identity", "participation.policy=bernoulli",
      "participation.probability=0.5"}},
    {"inverse_probability",
     {"sampler.name=qlsd++", "sampler.compressor=identity", "participation.policy=bernoulli",
      "participation.probability=0.5", "participation.scaling=inverse-probability"}},
    {"all_chains_together",
     {"sampler.name=qlsd++", "sampler.compressor=identity", "participation.policy=bernoulli",
      "participation.probability=0.5", "run.coupled=true"}},
    {"fixed_size",
     {"sampler.name=qlsd++", "sampler.compressor=identity", "participation.policy=fixed-size", "participation.size=2"}},
    {"unequal_clients",
     {"sampler.name=qlsd++", "sampler.compressor=identity", "data.partition=by-column", "data.column=class",
      "sampler.batch=0.05", "participation.policy=bernoulli", "participation.probability=0.7"}},
    {"many_clients", {"sampler.name=lsd++", "data.clients=70", "sampler.batch=4", "run.iterations=10"}},
    {"qsgd", {"sampler.name=qlsd#", "run.iterations=3"}, true},
    {"qsgd_one_level", {"sampler.name=qlsd#", "sampler.levels=1", "run.iterations=3"}, true},
    {"qsgd_svrg", {"sampler.name=qlsd++", "sampler.memory=false", "sampler.refresh=2", "run.iterations=5"}, true},
    {"qsgd_svrg_memory", {"sampler.name=qlsd++", "sampler.refresh=2", "run.iterations=5"}, true},
    {"qsgd_bernoulli",
     {"sampler.name=qlsd++", "participation.policy=bernoulli", "participation.probability=0.5", "sampler.refresh=2",
      "run.iterations=5"},
     true},
};

}  // namespace pollen::testing
