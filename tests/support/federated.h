// A problem small enough for runs over connections, and every sampler that can be federated. Federations in memory and
// with processes are compared with `pollen run` on it.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace pollen {

inline const char* const kFederated = R"(
seed = 7
[model]
kind = "logistic"
[data]
source = "synthetic-logistic"
clients = 5
dimension = 4
min_size = 8
max_size = 30
[run]
iterations = 40
burn_in = 0
chains = 2
[sampler]
batch = 3
refresh = 10
step = 0.002
)";

// For clients with their own files, whose sources are given elsewhere.
inline const char* const kSick = R"(
seed = 5
[model]
kind = "logistic"
[data]
target = "sick"
[sampler]
name = "qlsd++"
step = 0.001
[run]
iterations = 40
burn_in = 0
chains = 2
)";

struct FederatedSampler {
  const char* name;
  std::vector<std::string> keys;  // "key=value"
};
inline void PrintTo(const FederatedSampler& s, std::ostream* out) { *out << s.name; }

inline const std::vector<FederatedSampler> kFederatedSamplers = {
    {"lsd", {"sampler.name=lsd"}},
    {"sgld", {"sampler.name=sgld"}},
    {"qlsd", {"sampler.name=qlsd"}},
    {"qlsd_sharp", {"sampler.name=qlsd#"}},
    {"lsd_star", {"sampler.name=lsd*"}},
    {"qlsd_star", {"sampler.name=qlsd*"}},
    {"lsd_plus", {"sampler.name=lsd++"}},
    {"qlsd_plus", {"sampler.name=qlsd++"}},
    {"clsd_star", {"sampler.name=clsd*"}},
    {"clsd_star_inverse",
     {"sampler.name=clsd*", "participation.policy=bernoulli", "participation.scaling=inverse-probability",
      "participation.probability=[0.9,0.5,0.4,0.3,1.0]"}},
    {"clsd_plus", {"sampler.name=clsd++", "participation.policy=bernoulli", "participation.probability=0.5"}},
    {"memory_from_gradient", {"sampler.name=qlsd++", "sampler.memory_init=gradient"}},
    {"bernoulli", {"sampler.name=qlsd++", "participation.policy=bernoulli", "participation.probability=0.5"}},
    {"inverse",
     {"sampler.name=qlsd++", "participation.policy=bernoulli", "participation.scaling=inverse-probability",
      "participation.probability=[0.9,0.5,0.4,0.3,1.0]"}},
    {"fixed_size", {"sampler.name=qlsd", "participation.policy=fixed-size", "participation.size=2"}},
    {"d_elf", {"sampler.name=d-elf", "sampler.k=2"}},
    {"p_elf", {"sampler.name=p-elf", "sampler.k=2"}},
    {"b_elf", {"sampler.name=b-elf", "sampler.k=2"}},
    {"b_elf_absent",
     {"sampler.name=b-elf", "sampler.k=2", "participation.policy=bernoulli", "participation.probability=0.5"}},
    {"fald", {"sampler.name=fald", "sampler.local_steps=4"}},
    {"fald_own_noise", {"sampler.name=fald", "sampler.communicate=0.3", "sampler.correlation=0.4"}},
    {"fald_every", {"sampler.name=fald", "sampler.communicate=0.3", "sampler.emit=every"}},
    {"fald_qsgd", {"sampler.name=fald", "sampler.local_steps=3", "sampler.compressor=qsgd"}},
    {"vr_fald", {"sampler.name=vr-fald*", "sampler.communicate=0.3", "sampler.refresh_probability=0.2"}},
    {"fa_ld", {"sampler.name=fa-ld", "sampler.local_steps=3"}},
    {"fa_ld_scheme_1", {"sampler.name=fa-ld", "sampler.local_steps=3", "sampler.scheme=I", "participation.size=2"}},
    {"auto_step", {"sampler.name=qlsd++", "sampler.step=auto"}},
    {"auto_local_step", {"sampler.name=fald", "sampler.step=auto", "sampler.local_steps=3"}},
    {"from_the_mode", {"sampler.name=qlsd", "run.init=mode"}},
    {"warmed_up", {"sampler.name=qlsd++", "warm_up.epochs=3", "warm_up.batch=4"}},
    {"nuts", {"sampler.name=nuts", "sampler.batch=1.0", "sampler.step=auto", "sampler.max_depth=4", "run.burn_in=15"}},
    {"hmc", {"sampler.name=hmc", "sampler.batch=1.0", "sampler.step=auto", "run.burn_in=15"}},
    {"mala", {"sampler.name=mala", "sampler.batch=1.0"}},
    {"network",
     {"sampler.name=fald", "sampler.local_steps=3", "model.kind=mlp", "model.sizes=[3]", "model.input=[1,2,2]",
      "warm_up.epochs=3", "warm_up.batch=4", "warm_up.augment=[\"flip\", \"crop\"]"}},
};

// Returns the keys for 75 clients, which need several blocks of sums. Lists with one number per client are repeated.
inline std::vector<std::string> with_many_clients(const FederatedSampler& sampler) {
  constexpr int kTimes = 15;
  const std::string list = "participation.probability=[";
  std::vector<std::string> keys = sampler.keys;
  for (std::string& key : keys) {
    if (!key.starts_with(list)) continue;
    const std::string five = key.substr(list.size(), key.size() - list.size() - 1);
    key = list + five;
    for (int n = 1; n < kTimes; ++n) key += "," + five;
    key += "]";
  }
  keys.emplace_back("data.clients=75");
  return keys;
}

// Has a latent for each of 70 clients.
inline const char* const kLatents = R"(
seed = 4
[model]
kind = "mixed-linear"
latent = 2
[data]
source = "synthetic-mixed"
clients = 70
dimension = 4
min_size = 4
max_size = 8
[run]
iterations = 40
burn_in = 5
chains = 2
[sampler]
name = "fedsoul"
local_steps = 3
)";

}  // namespace pollen
