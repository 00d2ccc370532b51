// Local steps may stop anywhere, even in the middle of a segment. Loaded into a fresh experiment, or advanced in odd
// chunks, they give the same draws and the same counts, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>

#include "pollen/errors.h"
#include "support/problems.h"

namespace pollen {
namespace {

using testing::Collect;
using testing::kLogistic;

constexpr std::int64_t kIterations = 83;

struct Case {
  const char* name;
  Overrides overrides;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class LocalResume : public ::testing::TestWithParam<Case> {};

Config config(Overrides overrides) {
  overrides.insert(overrides.begin(), {"run.iterations=83", "sampler.step=0.01", "sampler.batch=3"});
  return read_config_text(kLogistic, "test.toml", overrides);
}

void expect_same(const Counters& a, const Counters& b) {
  EXPECT_EQ(a.rounds, b.rounds);
  EXPECT_EQ(a.messages, b.messages);
  EXPECT_EQ(a.uplink_bits, b.uplink_bits);
  EXPECT_EQ(a.downlink_bits, b.downlink_bits);
  EXPECT_EQ(a.broadcast_bits, b.broadcast_bits);
  EXPECT_EQ(a.setup_bits, b.setup_bits);
  EXPECT_EQ(a.gradients, b.gradients);
}

void expect_same_position(const Experiment& a, const Experiment& b) {
  for (Index c = 0; c < a.position().columns; ++c)
    EXPECT_TRUE(std::ranges::equal(a.position().column(c), b.position().column(c))) << "chain " << c;
}

TEST_P(LocalResume, AtAnyIteration) {
  Collect whole;
  Experiment uninterrupted(config(GetParam().overrides));
  uninterrupted.prepare();
  uninterrupted.advance(kIterations, whole);
  ASSERT_GT(whole.draws.at(0).size(), 50U);
  for (const std::int64_t stop : {0, 1, 2, 5, 7, 10, 11, 24, 38, 60, 82}) {
    Collect collect;
    Experiment first(config(GetParam().overrides));
    first.prepare();
    first.advance(stop, collect);
    EXPECT_EQ(first.iteration(), stop);
    Experiment second(config(GetParam().overrides), {.threads = 2});
    second.load(first.save());
    EXPECT_EQ(second.iteration(), stop);
    expect_same_position(first, second);
    second.advance(kIterations - stop, collect);
    EXPECT_EQ(collect.draws, whole.draws) << "stopped at " << stop;
    EXPECT_EQ(collect.potentials, whole.potentials);
    expect_same(second.counters(), uninterrupted.counters());
    EXPECT_EQ(to_toml(second.config()), to_toml(uninterrupted.config()));
  }
}

TEST_P(LocalResume, OddChunksAreOneRun) {
  Collect whole;
  Experiment one(config(GetParam().overrides));
  one.prepare();
  one.advance(kIterations, whole);
  for (const std::int64_t chunk : {1, 2, 7, 13}) {
    Collect collect;
    Experiment many(config(GetParam().overrides));
    many.prepare();
    while (many.iteration() < kIterations) many.advance(std::min(chunk, kIterations - many.iteration()), collect);
    EXPECT_EQ(collect.draws, whole.draws) << "chunks of " << chunk;
    expect_same(many.counters(), one.counters());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Recipes, LocalResume,
    ::testing::Values(
        Case{"fald", {"sampler.name=fald", "sampler.local_steps=5", "sampler.correlation=0.4"}},
        Case{"fald_coins", {"sampler.name=fald", "sampler.communicate=0.3", "sampler.correlation=0.4"}},
        Case{"fald_every",
             {"sampler.name=fald", "sampler.local_steps=5", "sampler.correlation=0.4", "sampler.emit=every"}},
        Case{"fald_some",
             {"sampler.name=fald", "sampler.local_steps=5", "sampler.correlation=0.4", "participation.policy=bernoulli",
              "participation.probability=0.5"}},
        Case{"fald_qsgd", {"sampler.name=fald", "sampler.local_steps=5", "sampler.compressor=qsgd"}},
        Case{"fald_qsgd_some",
             {"sampler.name=fald", "sampler.local_steps=4", "sampler.compressor=qsgd",
              "participation.policy=fixed-size", "participation.size=3"}},
        Case{"fald_auto", {"sampler.name=fald", "sampler.local_steps=5", "sampler.step=auto"}},
        Case{"vr_fald", {"sampler.name=vr-fald*", "sampler.local_steps=5", "sampler.correlation=0.4"}},
        Case{"vr_fald_coins", {"sampler.name=vr-fald*", "sampler.communicate=0.3", "sampler.refresh_probability=0.6"}},
        Case{"vr_fald_some",
             {"sampler.name=vr-fald*", "sampler.local_steps=5", "participation.policy=fixed-size",
              "participation.size=4"}},
        Case{"vr_fald_every",
             {"sampler.name=vr-fald*", "sampler.local_steps=5", "sampler.refresh_probability=1.0",
              "sampler.emit=every"}},
        Case{"fa_ld", {"sampler.name=fa-ld", "sampler.local_steps=5", "sampler.step=0.001", "sampler.correlation=0.5"}},
        Case{"fa_ld_every",
             {"sampler.name=fa-ld", "sampler.local_steps=5", "sampler.step=0.001", "sampler.correlation=0.5",
              "sampler.emit=every"}},
        Case{"fa_ld_decaying", {"sampler.name=fa-ld", "sampler.local_steps=5", "sampler.schedule=decaying"}},
        Case{"fa_ld_scheme_1",
             {"sampler.name=fa-ld", "sampler.local_steps=5", "sampler.step=0.001", "sampler.scheme=I",
              "participation.size=3"}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(LocalState, ADecayingStepOfOtherConstantsIsRefused) {
  const Overrides decaying = {"sampler.name=fa-ld", "sampler.schedule=decaying", "sampler.smoothness=50",
                              "sampler.convexity=1"};
  Experiment first(config(decaying));
  first.prepare();
  Overrides changed = decaying;
  changed[2] = "sampler.smoothness=60";
  Experiment second(config(changed));
  try {
    second.load(first.save());
    FAIL();
  } catch (const WireError& error) {
    EXPECT_STREQ(error.what(), "saved state: found sampler.smoothness = 50, accepted: 60");
  }
}

}  // namespace
}  // namespace pollen
