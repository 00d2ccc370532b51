// Tests local steps: defaults, and combinations that are refused or give a warning.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "completed.h"

namespace pollen {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(LocalRecipe, Defaults) {
  const Recipe fald = made({"sampler.name=fald"}).recipe;
  ASSERT_TRUE(fald.local);
  EXPECT_EQ(fald.local->steps, 10);
  EXPECT_EQ(fald.local->common, 1);
  EXPECT_EQ(fald.local->refresh, 0);
  EXPECT_FALSE(fald.local->by_size);
  EXPECT_FALSE(fald.prior_on_server);
  EXPECT_EQ(fald.batch.of(50), 50);
  EXPECT_EQ(made({"sampler.name=fald", "sampler.correlation=0.3"}).recipe.local->common, 0.3);
  const Recipe fa_ld = made({"sampler.name=fa-ld", "sampler.correlation=0.5"}).recipe;
  EXPECT_EQ(fa_ld.local->common, 0.25);
  EXPECT_TRUE(fa_ld.local->by_size);
  EXPECT_FALSE(made({"sampler.name=lsd"}).recipe.local);
}

TEST(LocalRecipe, AsManyRefreshesAsAverages) {
  EXPECT_DOUBLE_EQ(made({"sampler.name=vr-fald*", "sampler.local_steps=4"}).recipe.local->refresh, 0.25);
  EXPECT_DOUBLE_EQ(made({"sampler.name=vr-fald*", "sampler.communicate=0.2"}).recipe.local->refresh, 0.2);
  EXPECT_DOUBLE_EQ(made({"sampler.name=vr-fald*", "sampler.refresh_probability=0.7"}).recipe.local->refresh, 0.7);
}

TEST(LocalRecipe, CompressedChangesHaveAMemory) {
  const Recipe recipe = made({"sampler.name=fald", "sampler.compressor=rand-k", "sampler.k=10"}).recipe;
  EXPECT_EQ(recipe.up.memory, Memory::average);
  EXPECT_DOUBLE_EQ(recipe.up.rate, 0.2);
  EXPECT_TRUE(recipe.sends_changes());
  EXPECT_EQ(made({"sampler.name=fald", "sampler.compressor=rand-k", "sampler.memory=false"}).recipe.up.memory,
            Memory::none);
  EXPECT_FALSE(made({"sampler.name=fald"}).recipe.sends_changes());
}

TEST(LocalRecipe, WrongCombinationsSayWhy) {
  const auto fald = [](Overrides more) {
    more.push_back("sampler.name=fald");
    return refusal(more);
  };
  EXPECT_THAT(fald({"sampler.local_steps=5", "sampler.communicate=0.2"}), HasSubstr("one of the two"));
  EXPECT_THAT(fald({"sampler.compressor=qsgd", "sampler.correlation=0.5"}), HasSubstr("accepted: correlation = 1"));
  EXPECT_EQ(fald({"sampler.compressor=qsgd", "sampler.correlation=1.0"}), "accepted");
  EXPECT_THAT(fald({"sampler.prior_at=server"}), HasSubstr("must act on every local step"));
  EXPECT_THAT(fald({"participation.policy=bernoulli", "participation.probability=0.5",
                    "participation.scaling=inverse-probability"}),
              HasSubstr("do not sum to one"));
  EXPECT_THAT(fald({"participation.policy=bernoulli", "participation.probability=[0.1,0.2,0.3,0.4]"}),
              HasSubstr("do not sum to one"));
  EXPECT_THAT(fald({"participation.policy=fixed-size", "participation.size=2", "participation.replacement=true"}),
              HasSubstr("scheme = \"I\""));
  EXPECT_THAT(fald({"sampler.scheme=I"}), HasSubstr("which is fa-ld's"));
  EXPECT_THAT(fald({"sampler.downlink=top-k"}), HasSubstr("compressed downlink"));
  EXPECT_THAT(refusal({"sampler.name=vr-fald*", "sampler.clip=1.0"}), HasSubstr("found with the oracle control"));
}

TEST(LocalRecipe, WrongCustomRecipes) {
  const auto custom = [](Overrides more) {
    more.push_back("sampler.name=custom");
    return refusal(more);
  };
  EXPECT_THAT(custom({"sampler.oracle=control"}), HasSubstr("needs local_steps or communicate"));
  EXPECT_EQ(custom({"sampler.oracle=control", "sampler.communicate=0.5"}), "accepted");
  EXPECT_THAT(custom({"sampler.oracle=svrg", "sampler.local_steps=5"}), HasSubstr("\"control\""));
  EXPECT_THAT(custom({"sampler.oracle=fixed-point", "sampler.local_steps=5"}), HasSubstr("\"control\""));
  EXPECT_THAT(custom({"sampler.error_feedback=true", "sampler.compressor=top-k", "sampler.local_steps=5"}),
              HasSubstr("use memory"));
}

TEST(LocalRecipe, Schemes) {
  const auto fa_ld = [](Overrides more) {
    more.push_back("sampler.name=fa-ld");
    return refusal(more);
  };
  EXPECT_THAT(fa_ld({"participation.policy=fixed-size", "participation.size=2"}),
              HasSubstr("scheme = \"I\" or \"II\""));
  EXPECT_THAT(fa_ld({"participation.policy=bernoulli", "participation.probability=0.5"}),
              HasSubstr("participation.policy"));
  EXPECT_THAT(fa_ld({"sampler.scheme=I"}), HasSubstr("participation.size"));
  EXPECT_THAT(fa_ld({"sampler.scheme=II", "participation.size=2", "participation.replacement=true"}),
              HasSubstr("says otherwise"));
  EXPECT_THAT(fa_ld({"sampler.scheme=II", "participation.size=5"}), HasSubstr("at most"));
  const Recipe one = made({"sampler.name=fa-ld", "sampler.scheme=I", "participation.size=2"}).recipe;
  EXPECT_EQ(one.participation.policy, ParticipationPolicy::fixed_size);
  EXPECT_TRUE(one.participation.replacement);
}

TEST(LocalRecipe, WhatHasNoTheoryIsWarnedOf) {
  EXPECT_THAT(made({"sampler.name=fald"}).warnings, IsEmpty());
  EXPECT_THAT(made({"sampler.name=fald", "sampler.compressor=qsgd"}).warnings, Contains(HasSubstr("no theory")));
  EXPECT_THAT(made({"sampler.name=fald", "participation.policy=fixed-size", "participation.size=2"}).warnings,
              Contains(HasSubstr("absent clients")));
  EXPECT_THAT(
      made({"sampler.name=fa-ld", "sampler.scheme=I", "participation.size=2", "sampler.communicate=0.5"}).warnings,
      Contains(HasSubstr("random gaps")));
}

TEST(LocalRecipe, ADecayingStepHasNoOther) {
  const Completed c = made({"sampler.name=fa-ld", "sampler.schedule=decaying", "sampler.step=0.1"});
  EXPECT_THAT(c.warnings, Contains(HasSubstr("sampler.step is set but plays no role")));
  EXPECT_FALSE(c.config.sampler.step);
  EXPECT_THAT(made({"sampler.name=fald", "sampler.step=0.1"}).warnings, Not(Contains(HasSubstr("sampler.step"))));
}

}  // namespace
}  // namespace pollen
