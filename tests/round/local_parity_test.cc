// Local steps that must equal chains already known (docs/algorithms.md section 10) up to rounding, because they use the
// same addresses of noise.
#include <gtest/gtest.h>

#include <cmath>

#include "support/problems.h"

namespace pollen {
namespace {

using testing::kGaussian;
using testing::kLogistic;
using testing::sample;

double largest_relative_difference(const testing::Outcome& a, const testing::Outcome& b) {
  double largest = a.draws.size() == b.draws.size() ? 0 : 1e300;
  for (std::size_t c = 0; c < a.draws.size(); ++c) {
    if (a.draws[c].size() != b.draws[c].size() || a.draws[c].empty()) return 1e300;
    for (std::size_t i = 0; i < a.draws[c].size(); ++i)
      largest = std::max(largest, std::abs(a.draws[c][i] - b.draws[c][i]) / std::max(1.0, std::abs(a.draws[c][i])));
  }
  return largest;
}

const char* const kIdentical = R"(
seed = 5
[model]
kind = "gaussian"
prior_sd = 3.0
[[client]]
mean = [1.0, -2.0]
precision = [[2.0, 0.3], [0.3, 1.0]]
[[client]]
mean = [1.0, -2.0]
precision = [[2.0, 0.3], [0.3, 1.0]]
[[client]]
mean = [1.0, -2.0]
precision = [[2.0, 0.3], [0.3, 1.0]]
[run]
iterations = 1000
burn_in = 0
chains = 3
)";

TEST(LocalParity, FaldOfSingleStepsWithCommonNoiseIsLsd) {
  const auto lsd = sample(kGaussian, {"sampler.name=lsd", "sampler.step=0.05"});
  for (const char* schedule : {"sampler.communicate=1.0", "sampler.local_steps=1"})
    EXPECT_LT(largest_relative_difference(lsd, sample(kGaussian, {"sampler.name=fald", "sampler.step=0.15", schedule})),
              1e-9);
  EXPECT_LT(
      largest_relative_difference(sample(kLogistic, {"sampler.name=lsd", "sampler.step=0.002", "run.iterations=1000"}),
                                  sample(kLogistic, {"sampler.name=fald", "sampler.step=0.014", "sampler.batch=1.0",
                                                     "run.iterations=1000", "sampler.local_steps=1"})),
      1e-9);
}

TEST(LocalParity, IdenticalClientsWithCommonNoiseAreOneChain) {
  const auto lsd = sample(kIdentical, {"sampler.name=lsd", "sampler.step=0.05", "run.thin=5"});
  EXPECT_LT(largest_relative_difference(
                lsd, sample(kIdentical, {"sampler.name=fald", "sampler.step=0.15", "sampler.local_steps=5"})),
            1e-9);
  EXPECT_LT(largest_relative_difference(
                lsd, sample(kIdentical, {"sampler.name=vr-fald*", "sampler.step=0.15", "sampler.local_steps=5"})),
            1e-9);
  EXPECT_LT(largest_relative_difference(
                lsd, sample(kIdentical, {"sampler.name=fa-ld", "sampler.step=0.05", "sampler.local_steps=5"})),
            1e-9);
}

// The conversion is ρ² = τ, γ = bη.
TEST(LocalParity, FaLdOfEqualClientsIsFald) {
  for (const char* schedule : {"sampler.communicate=0.3", "sampler.local_steps=4"}) {
    const auto fald =
        sample(kGaussian, {"sampler.name=fald", "sampler.step=0.15", "sampler.correlation=0.25", schedule});
    const auto fa_ld =
        sample(kGaussian, {"sampler.name=fa-ld", "sampler.step=0.05", "sampler.correlation=0.5", schedule});
    EXPECT_LT(largest_relative_difference(fald, fa_ld), 1e-9) << schedule;
    EXPECT_EQ(fald.counters.uplink_bits, fa_ld.counters.uplink_bits);
  }
}

// Compression cancels if it keeps everything, as rand-k with k = d does.
TEST(LocalParity, ChangesBehindAMemoryAddUpToPositions) {
  const Overrides keys = {"sampler.name=fald", "sampler.step=0.1", "sampler.local_steps=3"};
  Overrides compressed = keys;
  compressed.insert(compressed.end(), {"sampler.compressor=rand-k", "sampler.k=2", "sampler.memory_rate=0.5"});
  EXPECT_LT(largest_relative_difference(sample(kGaussian, keys), sample(kGaussian, compressed)), 1e-9);
}

TEST(LocalParity, ACustomRecipeIsTheNamedOne) {
  EXPECT_EQ(
      sample(kLogistic, {"sampler.name=fald", "sampler.local_steps=3", "sampler.correlation=0.3", "sampler.step=0.01"})
          .draws,
      sample(kLogistic, {"sampler.name=custom", "sampler.oracle=minibatch", "sampler.local_steps=3",
                         "sampler.correlation=0.3", "sampler.step=0.01"})
          .draws);
  EXPECT_EQ(sample(kLogistic, {"sampler.name=vr-fald*", "sampler.communicate=0.3", "sampler.step=0.01"}).draws,
            sample(kLogistic,
                   {"sampler.name=custom", "sampler.oracle=control", "sampler.communicate=0.3", "sampler.step=0.01"})
                .draws);
}

TEST(LocalParity, LengthsGiveTheSameDrawsAndBits) {
  for (const char* compressor : {"identity", "qsgd", "rand-k"}) {
    const Overrides keys = {"sampler.name=fald", "sampler.local_steps=3", "sampler.step=0.01",
                            std::string("sampler.compressor=") + compressor};
    Overrides lengths = keys;
    lengths.push_back("sampler.wire=lengths");
    const auto a = sample(kLogistic, keys), b = sample(kLogistic, lengths);
    EXPECT_EQ(a.draws, b.draws) << compressor;
    EXPECT_EQ(a.counters.uplink_bits, b.counters.uplink_bits) << compressor;
  }
}

}  // namespace
}  // namespace pollen
