// What coded messages cost, and that bytes, lengths and threads make no difference. Their law is in
// tests/laws/coded_test.cc.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/problems.h"

namespace pollen {
namespace {

using testing::kGaussian;
using testing::Outcome;
using testing::sample;

// The toy of the QLSD paper: 20 clients with 50 rows in 50 dimensions, and a step of γN = 0.1.
Outcome toy(const Overrides& overrides) {
  const std::string text = R"(
seed = 1
[model]
kind = "gaussian"
prior = "flat"
[data]
source = "synthetic-gaussian"
clients = 20
dimension = 50
min_size = 50
max_size = 50
heterogeneity = 1.0
[run]
burn_in = 0
[sampler]
step = 1e-4
)";
  Overrides all = {"output.lp=false", "sampler.mode_tolerance=1e-6"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  return sample(text, all);
}

double bits_per_message(const Outcome& run) {
  return static_cast<double>(run.counters.uplink_bits) / static_cast<double>(run.counters.messages);
}

constexpr double kElias = 533.9;  // bits of a message of qlsd* with s = 2^8 in version 0.1

TEST(Coded, AMessageOfTheToyTakesFiveBits) {
  const Overrides one = {"run.chains=1", "run.iterations=6000"};
  Overrides coded = one, quantised = one;
  coded.emplace_back("sampler.name=clsd*");
  quantised.insert(quantised.end(), {"sampler.name=qlsd*", "sampler.levels=256"});
  const double bits = bits_per_message(toy(coded));
  EXPECT_LE(bits, 5);
  EXPECT_GE(kElias, 100 * bits);
  EXPECT_LE(bits_per_message(toy(quantised)), 0.74 * kElias);
}

TEST(Coded, ThirtyTwoChainsShareOneBitString) {
  const Overrides many = {"run.chains=32", "run.iterations=500"};
  Overrides coded = many, quantised = many;
  coded.emplace_back("sampler.name=clsd*");
  quantised.insert(quantised.end(), {"sampler.name=qlsd*", "sampler.levels=256"});
  const double bits = bits_per_message(toy(coded));
  EXPECT_LE(bits / 50, 0.08);
  EXPECT_GE(kElias, 150 * bits);
  EXPECT_LE(bits_per_message(toy(quantised)), 0.72 * kElias);
}

TEST(Coded, LengthsAreThoseOfTheBytes) {
  for (const char* name : {"clsd*", "clsd++", "qlsd#", "qlsd++"}) {
    const Overrides keys = {fmt::format("sampler.name={}", name), "participation.policy=bernoulli",
                            "participation.probability=0.6", "sampler.refresh=7"};
    Overrides lengths = keys;
    lengths.emplace_back("sampler.wire=lengths");
    const Outcome bytes = sample(kGaussian, keys), counted = sample(kGaussian, lengths);
    EXPECT_EQ(bytes.draws, counted.draws);
    EXPECT_EQ(bytes.counters.uplink_bits, counted.counters.uplink_bits);
    EXPECT_EQ(bytes.counters.wire_bits, counted.counters.wire_bits);
    EXPECT_GT(bytes.counters.wire_bits, bytes.counters.uplink_bits);
  }
}

// Gradients are counted once per row where anchors move and twice per row of a minibatch elsewhere.
TEST(Coded, GradientsOfAnchors) {
  const Counters c =
      toy({"sampler.name=clsd++", "sampler.batch=10", "sampler.refresh=5", "run.chains=2", "run.iterations=100"})
          .counters;
  EXPECT_EQ(c.gradients, 20 * 2 * (20 * 50 + 80 * 2 * 10));
}

// All of the noise comes from the messages, so the share that the server adds must not matter to where chains go.
TEST(Coded, RefusesWhatHasNoNoiseToSupply) {
  const auto refusal = [](const Overrides& overrides) -> std::string {
    try {
      sample(kGaussian, overrides);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal({"sampler.name=clsd*", "model.temperature=0.0"}), HasSubstr("model.temperature"));
  EXPECT_THAT(refusal({"sampler.name=clsd*", "sampler.memory=true"}), HasSubstr("sampler.memory"));
  EXPECT_THAT(refusal({"sampler.name=qlsd++", "sampler.compressor=coded", "sampler.memory=true"}),
              HasSubstr("sampler.memory"));
  EXPECT_THAT(refusal({"sampler.name=clsd*", "federation.on_missing=skip"}), HasSubstr("federation.on_missing"));
  EXPECT_THAT(refusal({"sampler.name=clsd*", "sampler.compressor=qsgd"}), HasSubstr("accepted: \"coded\""));
  EXPECT_THAT(refusal({"sampler.name=d-elf", "sampler.compressor=coded"}), HasSubstr("error feedback"));
  EXPECT_THAT(refusal({"sampler.name=lsd", "sampler.downlink=coded"}), HasSubstr("sampler.downlink"));
  EXPECT_THAT(refusal({"sampler.name=clsd*", "sampler.noise_share=1.5"}), HasSubstr("sampler.noise_share"));
  for (const char* name : {"fald", "fa-ld", "vr-fald*"})
    EXPECT_THAT(refusal({fmt::format("sampler.name={}", name), "sampler.compressor=coded"}),
                HasSubstr("samplers whose server takes the steps"));
  std::string mixed = kGaussian;
  mixed.insert(mixed.find("mean ="), "compressor = \"coded\"\n");
  EXPECT_THROW(sample(mixed), ConfigError);
}

}  // namespace
}  // namespace pollen
