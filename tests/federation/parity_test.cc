// A federation leaves the draws of `pollen run`, bit for bit: for every sampler, whatever the order of replies, with
// replies repeated, connections cut, clients and servers killed.
#include <gtest/gtest.h>

#include "world.h"

namespace pollen {
namespace {

using testing::Faults;
using testing::World;

const char* kProblem = R"(
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
iterations = 60
burn_in = 0
chains = 2
[sampler]
batch = 3
refresh = 10
step = 0.002
)";

struct Case {
  const char* name;
  Overrides overrides;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Parity : public ::testing::TestWithParam<Case> {
 protected:
  testing::FederationOutcome federation(const Faults& faults) {
    World world(kProblem, GetParam().overrides, faults, folder_);
    auto outcome = run_federation(world);
    for (const std::string& why : world.ended) EXPECT_EQ(why, "done");
    return outcome;
  }
  testing::Outcome simulation() {
    Overrides overrides = GetParam().overrides;
    overrides.insert(overrides.end(), {"run.coupled=true", "output.lp=false"});
    return testing::sample(kProblem, overrides);
  }
  testing::Folder at_;
  std::string folder_ = at_.path();
};

TEST_P(Parity, SameDrawsAsTheSimulation) {
  const auto alone = simulation();
  const auto together = federation({.repeat = 100});
  EXPECT_EQ(alone.draws, together.draws);
  EXPECT_EQ(alone.counters.uplink_bits, together.counters.uplink_bits);
  EXPECT_EQ(alone.counters.downlink_bits, together.counters.downlink_bits);
  EXPECT_EQ(alone.counters.gradients, together.counters.gradients);
  EXPECT_EQ(alone.counters.messages, together.counters.messages);
}

TEST_P(Parity, FaultsDoNotMatter) {
  const auto alone = simulation();
  int faults = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const auto together =
        federation({.cut = 10, .kill_client = 10, .kill_server = 1, .kill_between = 30, .repeat = 50, .seed = seed});
    EXPECT_EQ(alone.draws, together.draws) << "seed " << seed;
    faults += together.faults;
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }
  EXPECT_GE(faults, 200);
}

INSTANTIATE_TEST_SUITE_P(
    Samplers, Parity,
    ::testing::Values(
        Case{"lsd", {"sampler.name=lsd"}}, Case{"sgld", {"sampler.name=sgld"}}, Case{"qlsd", {"sampler.name=qlsd"}},
        Case{"qlsd_sharp", {"sampler.name=qlsd#"}}, Case{"lsd_star", {"sampler.name=lsd*"}},
        Case{"qlsd_star", {"sampler.name=qlsd*"}}, Case{"lsd_plus", {"sampler.name=lsd++"}},
        Case{"qlsd_plus", {"sampler.name=qlsd++"}},
        Case{"memory_from_gradient", {"sampler.name=qlsd++", "sampler.memory_init=gradient"}},
        Case{"bernoulli", {"sampler.name=qlsd++", "participation.policy=bernoulli", "participation.probability=0.5"}},
        Case{"inverse",
             {"sampler.name=qlsd++", "participation.policy=bernoulli", "participation.scaling=inverse-probability",
              "participation.probability=[0.9,0.5,0.4,0.3,1.0]"}},
        Case{"fixed_size", {"sampler.name=qlsd", "participation.policy=fixed-size", "participation.size=2"}},
        Case{"d_elf", {"sampler.name=d-elf", "sampler.k=2"}}, Case{"p_elf", {"sampler.name=p-elf", "sampler.k=2"}},
        Case{"b_elf", {"sampler.name=b-elf", "sampler.k=2"}},
        Case{"b_elf_absent",
             {"sampler.name=b-elf", "sampler.k=2", "participation.policy=bernoulli", "participation.probability=0.5"}},
        Case{"fald", {"sampler.name=fald", "sampler.local_steps=4"}},
        Case{"fald_own_noise", {"sampler.name=fald", "sampler.communicate=0.3", "sampler.correlation=0.4"}},
        Case{"fald_every", {"sampler.name=fald", "sampler.communicate=0.3", "sampler.emit=every"}},
        Case{"fald_qsgd", {"sampler.name=fald", "sampler.local_steps=3", "sampler.compressor=qsgd"}},
        Case{"vr_fald", {"sampler.name=vr-fald*", "sampler.communicate=0.3", "sampler.refresh_probability=0.2"}},
        Case{"fa_ld", {"sampler.name=fa-ld", "sampler.local_steps=3"}},
        Case{"fa_ld_scheme_1",
             {"sampler.name=fa-ld", "sampler.local_steps=3", "sampler.scheme=I", "participation.size=2"}},
        Case{"auto_step", {"sampler.name=qlsd++", "sampler.step=auto"}},
        Case{"auto_local_step", {"sampler.name=fald", "sampler.step=auto", "sampler.local_steps=3"}},
        Case{"from_the_mode", {"sampler.name=qlsd", "run.init=mode"}}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace pollen
