// A run that stops at any round and continues in a fresh experiment gives the same draws and the same counts, bit for
// bit.
#include <gtest/gtest.h>

#include "pollen/errors.h"
#include "support/problems.h"

namespace pollen {
namespace {

using testing::Collect;
using testing::kLogistic;

struct Case {
  const char* name;
  Overrides overrides;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Resume : public ::testing::TestWithParam<Case> {};

Config config(Overrides overrides) {
  overrides.insert(overrides.begin(), "run.iterations=60");
  return read_config_text(kLogistic, "test.toml", overrides);
}

TEST_P(Resume, AtEveryRound) {
  Collect whole;
  Experiment uninterrupted(config(GetParam().overrides));
  uninterrupted.prepare();
  uninterrupted.advance(60, whole);
  for (const std::int64_t stop : {0, 1, 7, 19, 20, 21, 40, 59}) {
    Collect collect;
    Bytes saved;
    {
      Experiment first(config(GetParam().overrides));
      first.prepare();
      first.advance(stop, collect);
      saved = first.save();
    }
    Experiment second(config(GetParam().overrides), {.threads = 2});
    second.load(saved);
    EXPECT_EQ(second.iteration(), stop);
    second.advance(60 - stop, collect);
    EXPECT_EQ(collect.draws, whole.draws) << "stopped at " << stop;
    EXPECT_EQ(collect.potentials, whole.potentials);
    EXPECT_EQ(second.counters().uplink_bits, uninterrupted.counters().uplink_bits);
    EXPECT_EQ(second.counters().downlink_bits, uninterrupted.counters().downlink_bits);
    EXPECT_EQ(second.counters().setup_bits, uninterrupted.counters().setup_bits);
    EXPECT_EQ(second.counters().gradients, uninterrupted.counters().gradients);
    EXPECT_EQ(second.notes(), uninterrupted.notes());
    EXPECT_EQ(to_toml(second.config()), to_toml(uninterrupted.config()));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Recipes, Resume,
    ::testing::Values(Case{"qlsd_plus", {}}, Case{"auto_step", {"sampler.step=auto"}},
                      Case{"star", {"sampler.name=qlsd*", "run.init=mode"}},
                      Case{"coded", {"sampler.name=clsd*", "sampler.step=0.01"}},
                      Case{"coded_anchors",
                           {"sampler.name=clsd++", "sampler.refresh=7", "participation.policy=bernoulli",
                            "participation.probability=0.5"}},
                      Case{"partial", {"participation.policy=bernoulli", "participation.probability=0.5"}},
                      Case{"b_elf",
                           {"sampler.name=b-elf", "participation.policy=bernoulli", "participation.probability=0.5"}},
                      Case{"preconditioned", {"sampler.precondition=full", "sampler.step=auto"}},
                      Case{"diagonal", {"sampler.precondition=diagonal", "sampler.name=qlsd*", "sampler.step=0.01"}},
                      Case{"prior_at_clients", {"sampler.name=lsd*", "sampler.prior_at=clients"}}),
    [](const auto& test) { return std::string(test.param.name); });

// Returns why an experiment of the configuration refuses the saved state; empty if it does not.
std::string refusal(const Bytes& saved, const Overrides& overrides) {
  Experiment experiment(config(overrides));
  try {
    experiment.load(saved);
  } catch (const WireError& error) {
    return error.what();
  }
  return {};
}

TEST(ClientTraffic, RefusesWhatIsNotItsOwn) {
  Experiment experiment(config({}));
  experiment.prepare();
  const Bytes saved = experiment.save();
  EXPECT_EQ(refusal(saved, {"seed=8"}), "saved state: found seed = 7, accepted: 8");
  EXPECT_EQ(refusal(saved, {"sampler.step=0.001"}), "saved state: found sampler.step = 0.002, accepted: 0.001");
  EXPECT_EQ(refusal(saved, {"output.metrics_every=7"}),
            "saved state: found another [output], accepted: that of this run");
  for (std::size_t n = 0; n < saved.size(); n += 97) {
    Experiment same(config({}));
    EXPECT_THROW(same.load(ByteView(saved).first(n)), WireError);
  }
}

}  // namespace
}  // namespace pollen
