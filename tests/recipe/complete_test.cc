// Tests defaults that depend on the sampler, and what the theory allows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "completed.h"

namespace pollen {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Complete, NamedSamplersAreTheRowsOfTheTable) {
  const Recipe lsd = made({"sampler.name=lsd"}).recipe;
  EXPECT_EQ(lsd.oracle, OracleKind::full);
  EXPECT_EQ(lsd.up.compressor.kind, "identity");
  const Recipe sgld = made({"sampler.name=sgld"}).recipe;
  EXPECT_EQ(sgld.batch.of(50), 5);
  const Recipe plus = made({"sampler.name=qlsd++"}).recipe;
  EXPECT_EQ(plus.up.memory, Memory::average);
  EXPECT_EQ(plus.up.compressor.levels, 16U);
  EXPECT_DOUBLE_EQ(plus.up.rate, 1 / (1 + 50.0 / 256));
  EXPECT_EQ(plus.batch.of(50), 50);
  EXPECT_DOUBLE_EQ(made({"sampler.name=lsd++"}).recipe.up.rate, 1);
  const Recipe b_elf = made({"sampler.name=b-elf"}).recipe;
  EXPECT_EQ(b_elf.up.compressor.k, 5);
  EXPECT_EQ(b_elf.down.compressor, b_elf.up.compressor);
  EXPECT_EQ(b_elf.up.rate, 1);
  const Recipe p_elf = made({"sampler.name=p-elf", "sampler.k=7"}).recipe;
  EXPECT_EQ(p_elf.up.compressor.kind, "identity");
  EXPECT_EQ(p_elf.down.compressor.kind, "top-k");
  EXPECT_EQ(p_elf.down.compressor.k, 7);
}

TEST(Complete, SamplersCanBeAdded) {
  if (find_sampler("natural-sgld") == nullptr)  // the table is the process's, and a test may run twice
    register_sampler({"natural-sgld", "", "sgld with another code", "minibatch", "natural", Memory::none, false, true});
  const Recipe recipe = made({"sampler.name=natural-sgld"}).recipe;
  EXPECT_EQ(recipe.oracle, OracleKind::minibatch);
  EXPECT_EQ(recipe.oracle_name, "minibatch");
  EXPECT_EQ(recipe.up.compressor.kind, "natural");
  EXPECT_EQ(recipe.batch.of(50), 5);
  EXPECT_THAT(refusal({"sampler.name=natural-sgd"}), HasSubstr("natural-sgld"));
  for (const char* taken : {"qlsd", "nuts", "ditto"})  // a sampler, a reference and a baseline
    EXPECT_THROW(register_sampler({taken, "", ""}), std::invalid_argument) << taken;
}

TEST(Complete, PerClientCompressorsShareOneRate) {
  Config c = read_config_text("[sampler]\nname=\"qlsd++\"\n[[client]]\nlevels=1\n[[client]]\ncompressor=\"identity\"",
                              "my.toml");
  std::vector<std::string> warnings;
  const Recipe r = complete(c, 2, 16, warnings);
  EXPECT_EQ(r.up.per_client[0].levels, 1U);
  EXPECT_EQ(r.up.per_client[1].kind, "identity");
  EXPECT_DOUBLE_EQ(r.up.rate, 1 / (1 + 4.0));
}

// In a default run of qlsd++ the Hessians of 1,000 columns with an intercept and log sigma are a tenth of the uplink.
TEST(Complete, AThousandColumnsGetFullCoordinates) {
  const auto chosen = [](Index dimension) {
    return made({"model.kind=linear", "run.iterations=20000", "run.chains=4"}, 5, dimension).config.sampler;
  };
  EXPECT_EQ(chosen(1002).precondition, "full");
  EXPECT_EQ(chosen(1002).curvature_clients, 0);
  EXPECT_EQ(chosen(1024).precondition, "full");
  EXPECT_EQ(chosen(1025).precondition, "diagonal");
}

TEST(Complete, WrongCombinationsSayWhy) {
  EXPECT_THAT(refusal({"sampler.name=qlsd", "sampler.compressor=top-k"}), HasSubstr("biased"));
  EXPECT_THAT(refusal({"sampler.name=qlsd++", "sampler.compressor=rand-k", "sampler.scaled=true"}),
              HasSubstr("biased"));
  EXPECT_THAT(refusal({"sampler.name=d-elf", "sampler.compressor=rand-k"}), HasSubstr("scaled = true"));
  EXPECT_EQ(refusal({"sampler.name=d-elf", "sampler.compressor=rand-k", "sampler.scaled=true"}), "accepted");
  EXPECT_EQ(refusal({"sampler.name=d-elf", "sampler.compressor=natural"}), "accepted");
  EXPECT_THAT(refusal({"sampler.name=d-elf", "sampler.k=51"}), HasSubstr("k"));
  EXPECT_THAT(refusal({"participation.policy=bernoulli"}), HasSubstr("participation.probability"));
  EXPECT_THAT(refusal({"participation.policy=bernoulli", "participation.probability=[0.1,0.2,0.3]"}),
              HasSubstr("one per client (4)"));
  EXPECT_THAT(refusal({"participation.policy=bernoulli", "participation.probability=[0.1,0.2,0.3,0.4]",
                       "participation.scaling=active"}),
              HasSubstr("biased"));
  EXPECT_THAT(refusal({"participation.policy=fixed-size"}), HasSubstr("participation.size"));
  EXPECT_THAT(refusal({"participation.policy=fixed-size", "participation.size=5"}), HasSubstr("at most"));
  EXPECT_EQ(refusal({"participation.policy=fixed-size", "participation.size=5", "participation.replacement=true"}),
            "accepted");
  EXPECT_THAT(refusal({"run.iterations=10", "run.burn_in=10"}), HasSubstr("run.burn_in"));
  EXPECT_THAT(refusal({"run.iterations=10", "run.thin=20"}), HasSubstr("run.thin"));
}

TEST(Complete, AListOfProbabilitiesMeansInverseProbability) {
  EXPECT_EQ(made({"participation.policy=bernoulli", "participation.probability=[0.1,0.2,0.3,0.4]"})
                .recipe.participation.scaling,
            Scaling::inverse_probability);
  EXPECT_EQ(made({"participation.policy=bernoulli", "participation.probability=0.1"}).recipe.participation.scaling,
            Scaling::active);
}

TEST(Complete, UnusedKeysAreListed) {
  EXPECT_THAT(made({"sampler.name=lsd", "sampler.refresh=5"}).warnings, Contains(HasSubstr("sampler.refresh")));
  EXPECT_THAT(made({"sampler.name=qlsd++", "sampler.local_steps=5"}).warnings,
              Contains(HasSubstr("sampler.local_steps")));
  EXPECT_THAT(made({"sampler.name=qlsd++", "sampler.refresh=5"}).warnings, IsEmpty());
  EXPECT_THAT(made({"participation.size=2"}).warnings, Contains(HasSubstr("participation.size")));
}

TEST(Complete, KeysOfAnotherSourceAreListed) {
  for (const char* key : {"data.latent_dimension=3", "data.noise_sd=1", "data.small_share=0.5"}) {
    const std::string name(key, std::string(key).find('='));
    EXPECT_THAT(made({"data.source=synthetic-gaussian", key}).warnings, Contains(HasSubstr(name)));
    EXPECT_THAT(made({"data.source=synthetic-mixed", key}).warnings, Not(Contains(HasSubstr(name))));
  }
  EXPECT_THAT(made({"data.source=synthetic-mixed", "data.heterogeneity=2", "data.min_size=5"}).warnings, IsEmpty());
}

TEST(Complete, StaleDriftsAreWarnedOf) {
  EXPECT_THAT(made({"sampler.name=d-elf", "participation.policy=bernoulli", "participation.probability=0.5"}).warnings,
              Contains(HasSubstr("stale")));
}

TEST(Complete, AStepGivenToASamplerThatFindsItsOwnIsWarnedOf) {
  EXPECT_THAT(made({"sampler.name=nuts", "sampler.step=0.01"}).warnings, Contains(HasSubstr("finds its own")));
  EXPECT_THAT(made({"sampler.name=nuts", "sampler.step=auto"}).warnings, IsEmpty());
  EXPECT_THAT(made({"sampler.name=ula", "sampler.step=0.01"}).warnings, IsEmpty());
}

}  // namespace
}  // namespace pollen
