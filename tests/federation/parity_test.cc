// A federation produces the draws of `pollen run`, bit for bit, for every sampler and any order of replies, with
// repeated replies, cut connections, and killed clients and servers.
#include <gtest/gtest.h>

#include "support/federated.h"
#include "support/sanitized.h"
#include "world.h"

namespace pollen {
namespace {

using testing::Faults;
using testing::World;

// Makes runs longer than in the tests with processes, so that faults have time to happen.
Overrides longer(Overrides keys) {
  keys.emplace_back("run.iterations=60");
  return keys;
}

class Parity : public ::testing::TestWithParam<FederatedSampler> {
 protected:
  testing::FederationOutcome federation(const Faults& faults) {
    World world(kFederated, longer(GetParam().keys), faults, folder_);
    auto outcome = run_federation(world);
    for (const std::string& why : world.ended) EXPECT_EQ(why, "done");
    return outcome;
  }
  testing::Outcome simulation() {
    Overrides overrides = longer(GetParam().keys);
    overrides.insert(overrides.end(), {"run.coupled=true", "output.lp=false"});
    return testing::sample(kFederated, overrides);
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

// Sanitizers look for mistakes with memory in what faults do, and need fewer runs for it than a comparison of draws.
constexpr unsigned kRuns = POLLEN_SANITIZED ? 3 : 10;

TEST_P(Parity, FaultsDoNotMatter) {
  const auto alone = simulation();
  int faults = 0;
  for (unsigned seed = 1; seed <= kRuns; ++seed) {
    const auto together =
        federation({.cut = 10, .kill_client = 10, .kill_server = 1, .kill_between = 30, .repeat = 50, .seed = seed});
    EXPECT_EQ(alone.draws, together.draws) << "seed " << seed;
    faults += together.faults;
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }
  EXPECT_GE(faults, 20 * static_cast<int>(kRuns));
}

// Coordinates are part of what clients are told and of what they keep.
TEST_P(Parity, FaultsDoNotMatterInOtherCoordinates) {
  if (GetParam().name == std::string("network")) return;  // networks have no other coordinates
  Overrides keys = longer(GetParam().keys);
  keys.emplace_back("sampler.precondition=full");
  Overrides alone_keys = keys;
  alone_keys.insert(alone_keys.end(), {"run.coupled=true", "output.lp=false"});
  const auto alone = testing::sample(kFederated, alone_keys);
  for (unsigned seed = 1; seed <= (kRuns + 3) / 3; ++seed) {
    World world(kFederated, keys,
                {.cut = 10, .kill_client = 10, .kill_server = 1, .kill_between = 30, .repeat = 50, .seed = seed},
                folder_);
    EXPECT_EQ(alone.draws, run_federation(world).draws) << "seed " << seed;
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }
}

// Set-up is exchanged differently here, so exchanges have other numbers. Without jitter that does not matter.
TEST_P(Parity, SameSimulatedTime) {
  Overrides keys = longer(GetParam().keys);
  keys.insert(keys.end(), {"run.coupled=true", "output.lp=false", "network.preset=phone", "network.jitter_spread=0"});
  // A server that begins again repeats the trajectories that were under way, which takes more rounds and time.
  const bool repeats = is_exact(read_config_text(kFederated, "test.toml", keys));
  const Faults faults{.cut = 10, .kill_client = 10, .kill_between = repeats ? 0 : 30, .repeat = 50};
  World world(kFederated, keys, faults, folder_);
  const double together = run_federation(world).simulated;
  Experiment alone(read_config_text(kFederated, "test.toml", keys));
  alone.prepare();
  testing::Collect ignored;
  alone.advance(alone.config().run.iterations, ignored);
  EXPECT_GT(together, 0);
  EXPECT_NEAR(together, alone.simulated()->total() - alone.simulated()->setup, 1e-6 * together);
}

INSTANTIATE_TEST_SUITE_P(Samplers, Parity, ::testing::ValuesIn(kFederatedSamplers),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace pollen
