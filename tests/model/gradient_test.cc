// Laws of value, gradient and difference over all rows, for every potential.
#include <gtest/gtest.h>

#include <cmath>

#include "model/problem.h"

namespace pollen::testing {
namespace {

class GradientLaw : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kinds, GradientLaw, ::testing::ValuesIn(kinds()), test_name);

class ValueLaw : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kinds, ValueLaw, ::testing::ValuesIn(kinds(sums_over_rows)), test_name);

TEST_P(ValueLaw, ValueIsTheSumOfPlainLosses) {
  const Case c = make_case(GetParam(), 101, 6);
  const Panel theta = c.chains(2, 1);
  for (Index k = 0; k < 2; ++k) {
    long double sum = 0;
    for (Index r = 0; r < 101; ++r) sum += plain_loss(c, theta.column(k), r);
    EXPECT_NEAR(value_of(*c.potential, theta.column(k)), static_cast<double>(sum),
                1e-12 * std::abs(static_cast<double>(sum)));
  }
}

TEST_P(GradientLaw, GradientIsTheDerivativeOfValue) {
  const Case c = make_case(GetParam(), 53, 5);
  for (const std::uint64_t seed : {2u, 3u, 4u}) {
    const Panel theta = c.chains(1, seed);
    const std::vector<double> g = gradient_of(*c.potential, theta.column(0));
    std::vector<double> numeric, at(theta.column(0).begin(), theta.column(0).end());
    for (double& coordinate : at) {
      const double kept = coordinate, h = 1e-5;
      coordinate = kept + h;
      const double above = value_of(*c.potential, at);
      coordinate = kept - h;
      numeric.push_back((above - value_of(*c.potential, at)) / (2 * h));
      coordinate = kept;
    }
    expect_close(g, numeric, 1e-7);
  }
}

TEST_P(GradientLaw, ChainsAreIndependentColumns) {
  const Case c = make_case(GetParam(), 301, 11);
  Scratch scratch;
  for (const Index chains : {1, 3, 30, 70}) {
    const Panel theta = c.chains(chains, 5);
    Panel g(c.dimension(), chains);
    std::vector<double> values(static_cast<std::size_t>(chains));
    c.potential->gradient(theta, g, scratch);
    c.potential->value(theta, values, scratch);
    Panel slopes(c.dimension(), chains);
    std::vector<double> heights(values.size());
    c.potential->value_and_gradient(theta, heights, slopes, scratch);
    EXPECT_EQ(heights, values);
    for (Index k = 0; k < chains; ++k) {
      const std::vector<double> alone = gradient_of(*c.potential, theta.column(k));
      for (std::size_t j = 0; j < alone.size(); ++j) ASSERT_EQ(slopes.column(k)[j], alone[j]) << "with the value";
      for (std::size_t j = 0; j < alone.size(); ++j) ASSERT_EQ(g.column(k)[j], alone[j]) << chains << " chains, " << k;
      ASSERT_EQ(values[static_cast<std::size_t>(k)], value_of(*c.potential, theta.column(k)));
    }
  }
}

TEST_P(GradientLaw, DifferenceIsGradientMinusGradient) {
  const Case c = make_case(GetParam(), 301, 11);
  Scratch scratch;
  for (const Index chains : {1, 3, 30, 70}) {
    const Panel theta = c.chains(chains, 6), anchor = c.chains(chains, 7);
    Panel difference(c.dimension(), chains), plain(c.dimension(), chains);
    c.potential->difference(theta, anchor, difference, scratch);
    c.potential->Potential::difference(theta, anchor, plain, scratch);
    for (Index k = 0; k < chains; ++k) {
      std::vector<double> expected = gradient_of(*c.potential, theta.column(k));
      const std::vector<double> at_anchor = gradient_of(*c.potential, anchor.column(k));
      for (std::size_t j = 0; j < expected.size(); ++j) expected[j] -= at_anchor[j];
      expect_close(difference.column(k), expected, 1e-12);
      expect_close(plain.column(k), expected, 1e-15);
    }
  }
}

TEST_P(GradientLaw, DifferenceVanishesAtTheAnchor) {
  const Case c = make_case(GetParam(), 77, 4);
  const Panel theta = c.chains(3, 8);
  Panel difference(c.dimension(), 3);
  Scratch scratch;
  c.potential->difference(theta, theta, difference, scratch);
  for (Index k = 0; k < 3; ++k)
    for (const double v : difference.column(k)) EXPECT_EQ(v, 0.0);
}

TEST_P(GradientLaw, ScaleMultipliesEverything) {
  const double scale = 1.0 / 48;
  const Case whole = make_case(GetParam(), 40, 5), part = make_case(GetParam(), 40, 5, scale);
  const Panel theta = whole.chains(2, 9);
  const std::span<const double> at = theta.column(0), other = theta.column(1);
  const auto scaled = [&](std::vector<double> v) {
    for (double& x : v) x *= scale;
    return v;
  };
  EXPECT_NEAR(value_of(*part.potential, at), scale * value_of(*whole.potential, at), 1e-13);
  expect_close(gradient_of(*part.potential, at), scaled(gradient_of(*whole.potential, at)), 1e-13);
  expect_close(curvature_of(*part.potential, at, other), scaled(curvature_of(*whole.potential, at, other)), 1e-13);

  Scratch scratch;
  const std::vector<std::uint32_t> rows = {0};
  std::vector<double> a(at.size()), b(at.size());
  whole.potential->gradient_rows(at, rows, a, scratch);
  part.potential->gradient_rows(at, rows, b, scratch);
  expect_close(b, scaled(a), 1e-13);
  whole.potential->difference_rows(at, other, rows, a, scratch);
  part.potential->difference_rows(at, other, rows, b, scratch);
  expect_close(b, scaled(a), 1e-13);
}

TEST_P(GradientLaw, PaddingOfTheOutputIsLeftAlone) {
  const Case c = make_case(GetParam(), 20, 5);
  const Panel theta = c.chains(3, 10);
  Panel g(c.dimension(), 3);
  for (double& v : g.flat()) v = 42.0;
  Scratch scratch;
  c.potential->gradient(theta, g, scratch);
  for (Index k = 0; k < 3; ++k)
    for (Index j = c.dimension(); j < g.stride(); ++j)
      EXPECT_EQ(g.flat()[static_cast<std::size_t>(k * g.stride() + j)], 42.0);
}

}  // namespace
}  // namespace pollen::testing
