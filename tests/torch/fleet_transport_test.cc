// Runs whose clients are computed together have the draws and counts of runs whose clients are computed one by one.
#include "run/fleet_transport.h"

#include <gtest/gtest.h>

#include "help.h"
#include "support/problems.h"

namespace pollen {
namespace {

using testing::Collect;

const char* const kNetwork = R"(
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

ExperimentOptions together(bool* used) {
  ExperimentOptions options;
  options.threads = 1;
  options.transport = [used](ClientView& view, Clients& clients) {
    std::unique_ptr<Transport> transport = make_fleet_transport(view, clients, 1);
    *used = transport != nullptr;
    return transport ? std::move(transport) : make_thread_transport(view, clients, 1);
  };
  return options;
}

testing::Outcome sample_together(const Overrides& overrides, bool& used) {
  Experiment experiment(read_config_text(kNetwork, "test.toml", overrides), together(&used));
  experiment.prepare();
  Collect collect;
  experiment.advance(experiment.config().run.iterations, collect);
  return {std::move(collect.draws), experiment.counters(), experiment.warnings(), experiment.notes()};
}

class TogetherOrNot : public ::testing::TestWithParam<std::vector<std::string>> {};
INSTANTIATE_TEST_SUITE_P(
    Recipes, TogetherOrNot,
    ::testing::Values(std::vector<std::string>{"sampler.name=sgld"},
                      std::vector<std::string>{"sampler.name=sgld", "warm_up.epochs=2", "warm_up.batch=300"},
                      std::vector<std::string>{"sampler.name=qlsd#", "sampler.compressor=identity"},
                      std::vector<std::string>{"sampler.name=qlsd++", "sampler.compressor=identity",
                                               "sampler.memory_rate=0.3"},
                      std::vector<std::string>{"sampler.name=qlsd++", "sampler.compressor=identity",
                                               "participation.policy=bernoulli", "participation.probability=0.5"}));

TEST_P(TogetherOrNot, DrawsAndCountsAreTheSame) {
  Overrides overrides;
  for (const std::string& each : GetParam()) overrides.push_back(each);
  bool used = false;
  const testing::Outcome one = testing::sample(kNetwork, overrides), all = sample_together(overrides, used);
  ASSERT_TRUE(used);
  for (std::size_t c = 0; c < 2; ++c) EXPECT_LT(testing::apart(all.draws[c], one.draws[c]), 1e-5);
  EXPECT_EQ(all.counters.uplink_bits, one.counters.uplink_bits);
  EXPECT_EQ(all.counters.downlink_bits, one.counters.downlink_bits);
  EXPECT_EQ(all.counters.messages, one.counters.messages);
  EXPECT_EQ(all.counters.gradients, one.counters.gradients);
}

TEST(FleetTransport, QuantisedItKeepsToTheSameLevels) {
  bool used = false;
  const Overrides overrides = {"sampler.name=qlsd#", "run.iterations=3"};
  const testing::Outcome one = testing::sample(kNetwork, overrides), all = sample_together(overrides, used);
  ASSERT_TRUE(used);
  for (std::size_t c = 0; c < 2; ++c) EXPECT_LT(testing::apart(all.draws[c], one.draws[c]), 1e-4);
  EXPECT_NEAR(static_cast<double>(all.counters.uplink_bits), static_cast<double>(one.counters.uplink_bits),
              0.01 * static_cast<double>(one.counters.uplink_bits));
}

TEST(FleetTransport, GoesOnFromACheckpoint) {
  const Overrides overrides = {"sampler.name=qlsd++", "participation.policy=bernoulli",
                               "participation.probability=0.5"};
  const Config config = read_config_text(kNetwork, "test.toml", overrides);
  bool used = false;
  Experiment whole(config, together(&used)), first(config, together(&used)), second(config, together(&used));
  Collect all, parts;
  whole.prepare();
  whole.advance(30, all);
  first.prepare();
  first.advance(11, parts);
  second.load(first.save());
  second.advance(19, parts);
  ASSERT_TRUE(used);
  EXPECT_EQ(parts.draws, all.draws);
}

// With likelihood = "mean" a row weighs less if its client has more rows.
TEST(FleetTransport, LeavesClientsOfDifferentScalesAlone) {
  bool used = true;
  const Overrides mean = {"sampler.name=sgld", "model.likelihood=mean", "data.partition=dirichlet"};
  Experiment experiment(read_config_text(kNetwork, "test.toml", mean), together(&used));
  EXPECT_FALSE(used);
}

TEST(FleetTransport, LeavesOtherRecipesAlone) {
  for (const char* name : {"lsd", "d-elf", "fald", "qlsd*"}) {
    bool used = true;
    const Config config =
        read_config_text(kNetwork, "test.toml", {std::string("sampler.name=") + name, "sampler.step=1e-5"});
    Experiment experiment(config, together(&used));
    EXPECT_FALSE(used) << name;
  }
}

}  // namespace
}  // namespace pollen
