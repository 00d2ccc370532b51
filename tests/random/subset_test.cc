// Tests the shape of subsets and permutations in every regime of size, and that the result does not depend on the
// structure used.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>

#include "pollen/random.h"

namespace pollen {
namespace {

using Indices = std::vector<std::uint32_t>;
const Stream kStream = make_stream(9, 0, Purpose::minibatch);

void expect_subset(const Indices& out, std::uint32_t n, std::uint32_t k) {
  ASSERT_EQ(out.size(), k) << "n = " << n;
  ASSERT_TRUE(std::is_sorted(out.begin(), out.end()));
  ASSERT_TRUE(std::adjacent_find(out.begin(), out.end()) == out.end());
  if (k > 0) {
    ASSERT_LT(out.back(), n);
  }
}

// Floyd's method as in textbooks, for k ≤ n/2 (above that the omitted ones are drawn).
Indices floyd_by_set(Sequence& sequence, std::uint32_t n, std::uint32_t k) {
  std::set<std::uint32_t> chosen;
  for (std::uint32_t top = n - k; top < n; ++top) {
    const auto v = static_cast<std::uint32_t>(sequence.below(std::uint64_t{top} + 1));
    chosen.insert(chosen.contains(v) ? top : v);
  }
  return {chosen.begin(), chosen.end()};
}

TEST(SampleWithoutReplacement, EveryStructureGivesFloydsSubset) {
  Indices out{1, 2, 3};
  for (const std::uint32_t n : {2u, 31u, 32u, 33u, 1000u, 60000u, 5000000u, 0xffffffffu}) {
    for (const std::uint32_t k : {0u, 1u, 15u, 48u, 49u, 500u, 3000u}) {
      if (k > n / 2) continue;
      Sequence a(kStream), b(kStream);
      sample_without_replacement(a, n, k, out);
      expect_subset(out, n, k);
      EXPECT_EQ(out, floyd_by_set(b, n, k)) << n << ' ' << k;
      EXPECT_EQ(a.next(), b.next());
    }
  }
}

TEST(SampleWithoutReplacement, NearlyAll) {
  Indices out;
  for (const std::uint32_t n : {1u, 2u, 5u, 32u, 33u, 64u, 100u, 1000u}) {
    for (std::uint32_t k = n / 2 + 1; k <= n; ++k) {
      Sequence sequence(kStream);
      sample_without_replacement(sequence, n, k, out);
      expect_subset(out, n, k);
    }
  }
}

TEST(SampleWithoutReplacement, AllDrawsNothing) {
  Indices out;
  Sequence sequence(kStream), untouched(kStream);
  sample_without_replacement(sequence, 10, 10, out);
  expect_subset(out, 10, 10);
  sample_without_replacement(sequence, 0, 0, out);
  EXPECT_TRUE(out.empty());
  EXPECT_EQ(sequence.next(), untouched.next());
}

TEST(BernoulliSubset, Edges) {
  Indices out{7};
  Sequence sequence(kStream), untouched(kStream);
  bernoulli_subset(sequence, 5, 1.0, out);
  expect_subset(out, 5, 5);
  bernoulli_subset(sequence, 5, 0.0, out);
  EXPECT_TRUE(out.empty());
  EXPECT_EQ(sequence.next(), untouched.next());
  bernoulli_subset(sequence, 0, 0.5, out);
  EXPECT_TRUE(out.empty());
  for (const double p : {5e-324, 1e-300, 1e-20}) {
    for (int i = 0; i < 100; ++i) bernoulli_subset(sequence, 0xffffffffu, p, out);
    EXPECT_TRUE(out.empty());
  }
  bernoulli_subset(sequence, 1000, 0.9999999999999999, out);
  expect_subset(out, 1000, 1000);
  bernoulli_subset(sequence, 0xffffffffu, 1e-8, out);  // about 43
  expect_subset(out, 0xffffffffu, static_cast<std::uint32_t>(out.size()));
  EXPECT_GT(out.size(), 10u);
  EXPECT_LT(out.size(), 90u);
}

// The answers are stored here. They fix how many words each draw takes and in which order.
TEST(Subsets, KnownAnswers) {
  Stream stream = make_stream(42, 7, Purpose::noise);
  stream.round = 0xabc12345678u;
  stream.client = 99;
  stream.step = 0x54321;
  Sequence sequence(stream);
  Indices out;
  sample_without_replacement(sequence, 100, 5, out);
  EXPECT_EQ(out, (Indices{11, 14, 33, 46, 76}));
  bernoulli_subset(sequence, 30, 0.2, out);
  EXPECT_EQ(out, (Indices{22, 23, 25}));
  EXPECT_EQ(permutation(sequence, 8), (Indices{7, 6, 2, 4, 5, 3, 0, 1}));
  EXPECT_EQ(std::bit_cast<std::uint64_t>(sequence.gamma(0.3)), 0x3f95cf1235cb6642u);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(sequence.gamma(7.0)), 0x4013320e03d2c918u);
}

TEST(Permutation, HoldsEveryNumberOnce) {
  for (const std::uint32_t n : {0u, 1u, 2u, 1000u}) {
    Sequence sequence(kStream);
    Indices order = permutation(sequence, n);
    Indices identity(n);
    std::iota(identity.begin(), identity.end(), 0u);
    if (n == 1000) {
      EXPECT_NE(order, identity);
    }
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, identity);
  }
}

}  // namespace
}  // namespace pollen
