// Tests Sequence: which words it takes, and the edges of its draws.
#include <gtest/gtest.h>

#include <cmath>

#include "math/targets.h"
#include "pollen/random.h"

namespace pollen {
namespace {

const Stream kStream = make_stream(5, 1, Purpose::partition);

TEST(Sequence, TakesTheStreamsWordsInOrder) {
  std::vector<std::uint32_t> words(400);
  random_words(kStream, words);
  test::for_each_target([&] {
    Sequence sequence(kStream);
    for (std::size_t n = 0; n < 200; ++n) {
      ASSERT_EQ(sequence.next(), words[2 * n] | std::uint64_t{words[2 * n + 1]} << 32) << n;
    }
  });
}

TEST(Sequence, UniformAndNormalAgreeWithTheStreams) {
  std::vector<double> expected_uniforms(40), expected_normals(40);
  uniforms(kStream, expected_uniforms);
  normals(kStream, expected_normals);
  test::for_each_target([&] {
    Sequence for_uniforms(kStream), for_normals(kStream);
    for (std::size_t n = 0; n < 40; ++n) ASSERT_EQ(for_uniforms.uniform(), expected_uniforms[n]);
    for (std::size_t n = 0; n < 40; n += 2) ASSERT_EQ(for_normals.normal(), expected_normals[n]);
  });
}

TEST(Sequence, BelowStaysBelow) {
  Sequence sequence(kStream);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(sequence.below(1), 0u);
  for (const std::uint64_t bound : {std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{1} << 32, ~std::uint64_t{0}}) {
    for (int i = 0; i < 1000; ++i) ASSERT_LT(sequence.below(bound), bound);
  }
}

TEST(Sequence, GammaOfExtremeShapes) {
  Sequence sequence(kStream);
  for (int i = 0; i < 200; ++i) {
    const double tiny = sequence.gamma(1e-8);  // nearly always underflows, but always to a number
    EXPECT_TRUE(std::isfinite(tiny) && tiny >= 0.0);
    const double huge = sequence.gamma(1e12);
    EXPECT_NEAR(huge, 1e12, 1e7);
  }
}

TEST(Sequence, SameGammasOnEveryTarget) {
  std::vector<double> expected;
  test::for_each_target([&] {
    Sequence sequence(kStream);
    std::vector<double> drawn;
    for (int i = 0; i < 500; ++i) drawn.push_back(sequence.gamma(0.1 + 0.01 * i));
    if (expected.empty()) expected = drawn;
    EXPECT_EQ(drawn, expected);
  });
}

}  // namespace
}  // namespace pollen
