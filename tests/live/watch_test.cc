// Watching a run changes nothing: the draws are the same, and so are the bytes of a checkpoint.
#include <gtest/gtest.h>

#include "run/experiment.h"
#include "support/problems.h"

namespace pollen {
namespace {

struct Case {
  const char* name;
  Overrides overrides;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Watching : public ::testing::TestWithParam<Case> {};

TEST_P(Watching, ChangesNothing) {
  Overrides overrides = GetParam().overrides;
  overrides.insert(overrides.begin(), "run.iterations=40");
  const Config config = read_config_text(testing::kLogistic, "test.toml", overrides);
  testing::Collect alone, watched;
  Experiment first(config);
  first.prepare();
  first.advance(40, alone);
  std::int64_t exchanges = 0, messages = 0;
  ExperimentOptions options;
  options.watch = [&](std::span<const ClientTraffic> loads) {
    ++exchanges;
    messages += std::ssize(loads);
  };
  Experiment second(config, options);
  second.prepare();
  second.advance(25, watched);
  const Bytes between = second.save();
  second.advance(15, watched);
  EXPECT_EQ(watched.draws, alone.draws);
  EXPECT_EQ(first.save(), second.save());
  EXPECT_GT(exchanges, 0);
  EXPECT_GT(messages, 0);

  // The checkpoint goes from a watched run to one that is not watched, and back.
  Experiment third(config, options);
  third.load(between);
  Experiment fourth(config);
  fourth.load(third.save());
  EXPECT_EQ(fourth.save(), between);
}

INSTANTIATE_TEST_SUITE_P(
    Samplers, Watching,
    ::testing::Values(Case{"qlsd_plus", {}}, Case{"fald", {"sampler.name=fald", "sampler.local_steps=5"}},
                      Case{"vr_fald", {"sampler.name=vr-fald*", "sampler.local_steps=5"}},
                      Case{"partial", {"participation.policy=bernoulli", "participation.probability=0.5"}},
                      Case{"scaffold", {"sampler.name=scaffold"}}),
    [](const auto& of) { return of.param.name; });

}  // namespace
}  // namespace pollen
