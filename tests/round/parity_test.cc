// Samplers that must be the same chain, and parts that must cancel.
#include <gtest/gtest.h>

#include <cmath>

#include "support/problems.h"

namespace pollen {
namespace {

using testing::kGaussian;
using testing::kLogistic;
using testing::sample;

double largest_relative_difference(const testing::Outcome& a, const testing::Outcome& b) {
  double largest = 0;
  for (std::size_t c = 0; c < a.draws.size(); ++c)
    for (std::size_t i = 0; i < a.draws[c].size(); ++i)
      largest = std::max(largest, std::abs(a.draws[c][i] - b.draws[c][i]) / std::max(1.0, std::abs(a.draws[c][i])));
  return largest;
}

TEST(Parity, LmcIsLsdBitForBit) {
  EXPECT_EQ(sample(kLogistic, {"sampler.name=lsd"}).draws, sample(kLogistic, {"sampler.name=lmc"}).draws);
}

TEST(Parity, ErrorFeedbackWithIdentityIsLsd) {
  for (const char* problem : {kGaussian, kLogistic}) {
    const Overrides common = {"run.iterations=1000", "sampler.compressor=identity"};
    const auto with = [&](const char* name) {
      Overrides overrides = common;
      overrides.push_back(std::string("sampler.name=") + name);
      return sample(problem, overrides);
    };
    const auto lsd = with("lsd");
    for (const char* elf : {"d-elf", "p-elf", "b-elf"})
      EXPECT_LT(largest_relative_difference(lsd, with(elf)), 1e-9) << elf;
  }
}

TEST(Parity, MemoryDropsOutWithIdentityAndEverybody) {
  const auto lsd = sample(kLogistic, {"sampler.name=lsd"});
  for (const char* memory : {"zero", "gradient"})
    EXPECT_LT(largest_relative_difference(lsd, sample(kLogistic, {"sampler.name=lsd++", "sampler.batch=1.0",
                                                                  std::string("sampler.memory_init=") + memory})),
              1e-9);
  EXPECT_LT(largest_relative_difference(
                lsd, sample(kLogistic, {"sampler.name=lsd++", "sampler.batch=1.0", "sampler.memory=false"})),
            1e-9);
}

TEST(Parity, FullBatchesOfEveryOracleAreOneChain) {
  const auto lsd = sample(kLogistic, {"sampler.name=lsd"});
  EXPECT_LT(largest_relative_difference(lsd, sample(kLogistic, {"sampler.name=sgld", "sampler.batch=1.0"})), 1e-9);
  EXPECT_LT(largest_relative_difference(lsd, sample(kLogistic, {"sampler.name=lsd*", "sampler.batch=1.0"})), 1e-9);
}

TEST(Parity, ThePriorMayLiveWithTheClients) {
  for (const char* name : {"lsd", "lsd*", "lsd++"}) {
    const std::string sampler = std::string("sampler.name=") + name;
    EXPECT_LT(largest_relative_difference(sample(kLogistic, {sampler}),
                                          sample(kLogistic, {sampler, "sampler.prior_at=clients"})),
              1e-9)
        << name;
  }
}

TEST(Parity, ACustomRecipeIsTheNamedOne) {
  EXPECT_EQ(sample(kLogistic, {"sampler.name=qlsd++"}).draws,
            sample(kLogistic,
                   {"sampler.name=custom", "sampler.oracle=svrg", "sampler.memory=true", "sampler.compressor=qsgd"})
                .draws);
  EXPECT_EQ(sample(kLogistic, {"sampler.name=b-elf"}).draws,
            sample(kLogistic, {"sampler.name=custom", "sampler.error_feedback=true", "sampler.compressor=top-k",
                               "sampler.downlink=top-k"})
                .draws);
}

TEST(Parity, LengthsGiveTheSameDrawsAndBits) {
  for (const char* compressor : {"identity", "qsgd", "rand-k", "natural"}) {
    const Overrides overrides = {"sampler.name=qlsd++", std::string("sampler.compressor=") + compressor};
    Overrides lengths = overrides;
    lengths.push_back("sampler.wire=lengths");
    const auto a = sample(kLogistic, overrides);
    const auto b = sample(kLogistic, lengths);
    EXPECT_EQ(a.draws, b.draws) << compressor;
    EXPECT_EQ(a.counters.uplink_bits, b.counters.uplink_bits) << compressor;
  }
}

TEST(Parity, TemperatureScalesOnlyTheNoise) {
  // In the limit T → 0 the chain is gradient descent, and all chains agree.
  const auto cold = sample(kGaussian, {"model.temperature=1e-30"});
  EXPECT_NEAR(cold.draws[0].back(), cold.draws[1].back(), 1e-12);
  const auto hot = sample(kGaussian, {"model.temperature=4.0"});
  const auto plain = sample(kGaussian);
  for (std::size_t i = 0; i < plain.draws[0].size(); ++i)
    EXPECT_NEAR(hot.draws[0][i] - cold.draws[0][i], 2 * (plain.draws[0][i] - cold.draws[0][i]), 1e-9);
}

TEST(Parity, SeedsDiffer) {
  const auto zero = sample(kGaussian, {"seed=0"}), one = sample(kGaussian, {"seed=1"}),
             two = sample(kGaussian, {"seed=2"});
  EXPECT_NE(zero.draws, one.draws);
  EXPECT_NE(one.draws, two.draws);
  EXPECT_NE(one.draws[0], one.draws[1]) << "chains are independent";
}

}  // namespace
}  // namespace pollen
