// The draws, the counts and the saved state are those of one process, bit for bit, whichever rank holds the clients:
// for every sampler, any number of ranks and threads, and a run that continues with other ranks than it began with.
#include <gtest/gtest.h>

#include "support/federated.h"
#include "world.h"

namespace pollen {
namespace {

using testing::RankRun;
using testing::RankWorld;

void expect_same(const RankRun& a, const RankRun& b, const std::string& what) {
  EXPECT_EQ(a.outcome.draws, b.outcome.draws) << what;
  EXPECT_EQ(a.potentials, b.potentials) << what;
  EXPECT_EQ(a.outcome.counters.uplink_bits, b.outcome.counters.uplink_bits) << what;
  EXPECT_EQ(a.outcome.counters.downlink_bits, b.outcome.counters.downlink_bits) << what;
  EXPECT_EQ(a.outcome.counters.setup_bits, b.outcome.counters.setup_bits) << what;
  EXPECT_EQ(a.outcome.counters.gradients, b.outcome.counters.gradients) << what;
  EXPECT_EQ(a.outcome.counters.messages, b.outcome.counters.messages) << what;
  EXPECT_EQ(a.outcome.notes, b.outcome.notes) << what;
  EXPECT_TRUE(a.state == b.state) << what << ": the saved states differ";
}

class RankParity : public ::testing::TestWithParam<FederatedSampler> {
 protected:
  // Runs everything at once, then half and half with other ranks.
  static void check(const RankWorld& world) {
    const RankRun whole = world.alone(40);
    for (const int ranks : {2, 3, 5})
      for (const int threads : {1, 2})
        expect_same(whole, world.over(ranks, 40, {}, threads), fmt::format("{} ranks, {} threads", ranks, threads));
    const RankRun half = world.over(2, 20);
    const RankRun alone = world.alone(20, half.state);
    expect_same(alone, world.over(5, 20, half.state), "from 2 ranks to 5");
    for (std::size_t c = 0; c < whole.outcome.draws.size(); ++c) {
      std::vector<double> parts = half.outcome.draws[c];
      parts.insert(parts.end(), alone.outcome.draws[c].begin(), alone.outcome.draws[c].end());
      EXPECT_EQ(parts, whole.outcome.draws[c]);
    }
  }
};

TEST_P(RankParity, FewClients) { check({kFederated, GetParam().keys}); }

// There are several blocks, whose borders are not those of the ranks.
TEST_P(RankParity, ManyClients) { check({kFederated, with_many_clients(GetParam())}); }

// The clock of a simulated network must hear of every rank's clients, because it is part of the saved state.
TEST_P(RankParity, TimedClients) {
  auto keys = with_many_clients(GetParam());
  keys.emplace_back("network.preset=phone");
  const RankWorld world{kFederated, keys};
  expect_same(world.alone(12), world.over(3, 12), "timed");
}

INSTANTIATE_TEST_SUITE_P(Samplers, RankParity, ::testing::ValuesIn(kFederatedSamplers),
                         [](const auto& test) { return test.param.name; });

const std::vector<FederatedSampler> kPersonal = {
    {"fedsoul", {}},
    {"fedsoul_timed", {"network.preset=phone"}},
    {"fedsouk_mala", {"sampler.name=fedsouk", "sampler.kernel=mala"}},
    {"fedsouk_some",
     {"sampler.name=fedsouk", "sampler.kernel=hmc", "participation.policy=bernoulli", "participation.probability=0.2"}},
    {"fedsouk_memory", {"sampler.name=fedsouk", "sampler.compressor=qsgd", "sampler.memory=true"}},
    {"hmc", {"sampler.name=hmc", "sampler.leapfrogs=2"}},
    {"energy", {"population.prior=energy"}},
    {"local", {"sampler.name=local", "sampler.step=0.01"}},
    {"fedavg", {"sampler.name=fedavg", "sampler.step=0.01", "sampler.server_step=0.7"}},
    {"scaffold",
     {"sampler.name=scaffold", "sampler.step=0.01", "participation.policy=fixed-size", "participation.size=20"}},
    {"fedrep",
     {"sampler.name=fedrep", "sampler.step=0.01", "participation.policy=bernoulli", "participation.probability=0.3"}},
    {"lg_fedavg", {"sampler.name=lg-fedavg", "sampler.step=0.01", "network.preset=phone"}},
    {"ditto",
     {"sampler.name=ditto", "sampler.step=0.01", "participation.policy=bernoulli", "participation.probability=0.1",
      "participation.scaling=inverse-probability"}},
    {"apfl", {"sampler.name=apfl", "sampler.step=0.01", "sampler.adapt_mixture=true"}},
    {"per_fedavg", {"sampler.name=per-fedavg", "sampler.step=0.01", "sampler.hessian_free=true"}},
    {"l2gd", {"sampler.name=l2gd", "sampler.step=0.01", "sampler.aggregate=0.5", "network.preset=phone"}},
    {"l2gd_some",
     {"sampler.name=l2gd", "sampler.step=0.01", "sampler.aggregate=0.5", "participation.policy=fixed-size",
      "participation.size=30"}},
};

class RankPersonal : public RankParity {};
TEST_P(RankPersonal, Latents) { check({kLatents, GetParam().keys}); }
INSTANTIATE_TEST_SUITE_P(Samplers, RankPersonal, ::testing::ValuesIn(kPersonal),
                         [](const auto& test) { return test.param.name; });

// Returns the row losses of a run of ten iterations alone and over three ranks.
std::pair<RowLoss, RowLoss> losses(const Overrides& keys) {
  const RankWorld world{kLatents, keys};
  Experiment alone(world.config());
  alone.prepare();
  testing::finish(alone, 10);
  testing::RankQueues queues(3);
  const RowLoss loss = queues.run(
      [&](Ranks& first) {
        ExperimentOptions options;
        options.ranks = &first;
        Experiment experiment(world.config(), options);
        experiment.prepare();
        testing::finish(experiment, 10);
        return experiment.personal()->row_loss();
      },
      [&](Ranks& other) {
        serve_rank(
            other, [&] { return world.config(); }, 1);
      });
  return {alone.personal()->row_loss(), loss};
}

TEST(Ranks, RowLossesAreThoseOfAllClients) {
  for (const Overrides& keys : {Overrides{}, Overrides{"sampler.name=apfl", "sampler.step=0.01"}}) {
    const auto [alone, spread] = losses(keys);
    EXPECT_EQ(spread.train, alone.train);
    EXPECT_EQ(spread.test, alone.test);
  }
}

// Rank 0 computes the reference samplers; the others have nothing to do.
TEST(Ranks, ReferencesAreComputedByRankZero) {
  const RankWorld world{kFederated, {"sampler.name=ula", "sampler.batch=1.0"}};
  expect_same(world.alone(40), world.over(3, 40), "ula");
}

TEST(Ranks, ClientsThatAreWrittenOut) {
  const RankWorld world{testing::kGaussian, {}};
  for (const int ranks : {2, 3, 5}) expect_same(world.alone(50), world.over(ranks, 50), fmt::format("{} ranks", ranks));
}

}  // namespace
}  // namespace pollen
