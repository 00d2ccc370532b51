// Subsets and permutations are uniform and Bernoulli subsets have independent coins, by chi-square over all outcomes.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>

#include "pollen/random.h"
#include "random/law.h"

namespace pollen {
namespace {

constexpr double kLimit = 4.5;
constexpr int kTrials = 300'000;

std::uint32_t as_bits(const std::vector<std::uint32_t>& subset) {
  std::uint32_t bits = 0;
  for (const std::uint32_t i : subset) bits |= std::uint32_t{1} << i;
  return bits;
}

TEST(SubsetLaw, SampleWithoutReplacementIsUniformOverSubsets) {
  std::vector<std::uint32_t> out;
  // Up to 4 the chosen ones are drawn, above that the omitted ones.
  for (const std::uint32_t k : {1u, 2u, 4u, 5u, 7u}) {
    Sequence sequence(make_stream(11, k, Purpose::minibatch));
    std::map<std::uint32_t, double> counts;
    for (std::uint32_t bits = 0; bits < 256; ++bits) {
      if (std::popcount(bits) == static_cast<int>(k)) counts[bits] = 0.0;
    }
    for (int i = 0; i < kTrials; ++i) {
      sample_without_replacement(sequence, 8, k, out);
      counts.at(as_bits(out)) += 1.0;
    }
    std::vector<double> observed;
    for (const auto& [bits, count] : counts) observed.push_back(count);
    EXPECT_LT(std::abs(test::chi_square_z(observed)), kLimit) << k;
  }
}

// For few of a large n each number is chosen equally often, with the hashed and with the sorted structure.
TEST(SubsetLaw, InclusionIsUniformForLargeSets) {
  std::vector<std::uint32_t> out;
  for (const std::uint32_t k : {20u, 200u}) {
    Sequence sequence(make_stream(12, k, Purpose::minibatch));
    std::vector<double> cells(100, 0.0);
    for (int i = 0; i < 2000; ++i) {
      sample_without_replacement(sequence, 1'000'000, k, out);
      for (const std::uint32_t v : out) cells[v / 10'000] += 1.0;
    }
    EXPECT_LT(std::abs(test::chi_square_z(cells)), kLimit) << k;
  }
}

TEST(SubsetLaw, BernoulliCoinsAreIndependent) {
  std::vector<std::uint32_t> out;
  for (const double p : {0.2, 0.5, 0.83}) {
    Sequence sequence(make_stream(13, 0, Purpose::participation));
    std::vector<double> observed(64, 0.0), expected(64);
    for (std::uint32_t bits = 0; bits < 64; ++bits) {
      const int heads = std::popcount(bits);
      expected[bits] = kTrials * std::pow(p, heads) * std::pow(1.0 - p, 6 - heads);
    }
    for (int i = 0; i < kTrials; ++i) {
      bernoulli_subset(sequence, 6, p, out);
      observed[as_bits(out)] += 1.0;
    }
    EXPECT_LT(std::abs(test::chi_square_z(observed, expected)), kLimit) << p;
  }
}

TEST(SubsetLaw, PermutationsAreUniform) {
  Sequence sequence(make_stream(14, 0, Purpose::partition));
  std::map<std::vector<std::uint32_t>, double> counts;
  for (int i = 0; i < kTrials; ++i) counts[permutation(sequence, 5)] += 1.0;
  ASSERT_EQ(counts.size(), 120u);
  std::vector<double> observed;
  for (const auto& [order, count] : counts) observed.push_back(count);
  EXPECT_LT(std::abs(test::chi_square_z(observed)), kLimit);
}

}  // namespace
}  // namespace pollen
