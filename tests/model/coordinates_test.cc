// A change of variables θ = θ̂ + Aψ: what it does to potentials, gradients, curvature and priors, for every family.
#include "model/coordinates.h"

#include <gtest/gtest.h>

#include <cmath>

#include "problem.h"

namespace pollen::testing {
namespace {

// A symmetric matrix with a positive diagonal whose entries have scales from 1e-3 to 1e5.
Panel bent(Index d) {
  Dice dice(7);
  Panel root(d, d), hessian(d, d);
  for (Index c = 0; c < d; ++c) {
    const std::vector<double> column = dice.normals(d);
    std::ranges::copy(column, root.column(c).begin());
  }
  const auto scale = [&](Index j) {
    return std::pow(10.0, -1.5 + 4.0 * static_cast<double>(j) / static_cast<double>(d));
  };
  for (Index i = 0; i < d; ++i)
    for (Index j = 0; j < d; ++j) {
      double sum = i == j ? 0.1 : 0;
      for (Index k = 0; k < d; ++k)
        sum += root.column(k)[static_cast<std::size_t>(i)] * root.column(k)[static_cast<std::size_t>(j)];
      hessian.column(j)[static_cast<std::size_t>(i)] = scale(i) * scale(j) * sum;
    }
  return hessian;
}

std::shared_ptr<const Coordinates> coordinates(Index d, bool full) {
  Dice dice(8);
  return std::make_shared<const Coordinates>(dice.normals(d, 0.2), bent(d), full);
}

class InPsi : public ::testing::TestWithParam<std::string> {};

TEST_P(InPsi, ValuesGradientsAndCurvatureAreThoseOfTheta) {
  Case c = make_case(GetParam(), 30, 4);
  const std::shared_ptr<const Potential> inner = std::move(c.potential);
  const Index d = inner->dimension();
  for (const bool full : {false, true}) {
    const auto in = coordinates(d, full);
    const auto u = in_coordinates(inner, in);
    Panel psi(d, 1), theta(d, 1), turned(d, 1), pulled(d, 1);
    Dice dice(9);
    std::ranges::copy(dice.normals(d), psi.column(0).begin());
    in->to_theta(psi, theta);
    EXPECT_DOUBLE_EQ(value_of(*u, psi.column(0)), value_of(*inner, theta.column(0)));

    // The derivative along v in ψ is the derivative along Av in θ.
    const std::vector<double> v = dice.normals(d);
    in->turn({v.data(), d, 1, d}, turned);
    const auto along = [](std::span<const double> a, std::span<const double> b) {
      double sum = 0;
      for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
      return sum;
    };
    const double slope = along(gradient_of(*inner, theta.column(0)), turned.column(0));
    EXPECT_NEAR(along(gradient_of(*u, psi.column(0)), v), slope, 1e-10 * (1 + std::abs(slope)));
    const double bend = along(curvature_of(*inner, theta.column(0), turned.column(0)), turned.column(0));
    EXPECT_NEAR(along(curvature_of(*u, psi.column(0), v), v), bend, 1e-6 * (1 + std::abs(bend)));
    EXPECT_EQ(u->rows(), inner->rows());
    EXPECT_EQ(u->curvature_is_bound(), inner->curvature_is_bound());
  }
}

class RowsInPsi : public ::testing::TestWithParam<std::string> {};

TEST_P(RowsInPsi, AddUpToTheGradient) {
  Case c = make_case(GetParam(), 6, 3);
  const std::shared_ptr<const Potential> inner = std::move(c.potential);
  const Index d = inner->dimension();
  const std::shared_ptr<const Coordinates> in = coordinates(d, true);
  const auto u = in_coordinates(inner, in);
  Dice dice(10);
  const std::vector<double> psi = dice.normals(d), anchor = dice.normals(d);
  const std::vector<std::uint32_t> rows = {0, 1, 2, 3, 4, 5};
  std::vector<double> sum(psi.size()), change(psi.size());
  Scratch scratch;
  u->gradient_rows(psi, rows, sum, scratch);
  expect_close(sum, gradient_of(*u, psi), 1e-12);
  u->difference_rows(psi, anchor, rows, change, scratch);
  std::vector<double> expected = gradient_of(*u, psi);
  const std::vector<double> at_anchor = gradient_of(*u, anchor);
  for (std::size_t j = 0; j < expected.size(); ++j) expected[j] -= at_anchor[j];
  expect_close(change, expected, 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Families, InPsi, ::testing::ValuesIn(kinds()), test_name);
INSTANTIATE_TEST_SUITE_P(Families, RowsInPsi, ::testing::ValuesIn(kinds(sums_over_rows)), test_name);

TEST(Coordinates, MakeTheCurvatureTheIdentity) {
  const Index d = 7;
  const Panel hessian = bent(d);
  for (const bool full : {false, true}) {
    const Coordinates in(std::vector<double>(7, 0.0), hessian, full);
    EXPECT_TRUE(in.raised().empty());
    for (Index j = 0; j < d; ++j) {
      Panel unit(d, 1), image(d, 1), product(d, 1), pulled(d, 1);
      unit.column(0)[static_cast<std::size_t>(j)] = 1;
      in.turn(unit, image);
      for (Index k = 0; k < d; ++k)
        for (std::size_t i = 0; i < 7; ++i)
          product.column(0)[i] += hessian.column(k)[i] * image.column(0)[static_cast<std::size_t>(k)];
      in.pull_back(product, pulled);
      for (std::size_t i = 0; i < 7; ++i) {
        if (!full && static_cast<Index>(i) != j) continue;
        EXPECT_NEAR(pulled.column(0)[i], static_cast<Index>(i) == j ? 1.0 : 0.0, 1e-9) << i << " " << j;
      }
    }
  }
}

TEST(Coordinates, ThereAndBackAgain) {
  for (const bool full : {false, true}) {
    const auto in = coordinates(6, full);
    Dice dice(3);
    Panel psi(6, 1), theta(6, 1);
    std::ranges::copy(dice.normals(6), psi.column(0).begin());
    in->to_theta(psi, theta);
    std::vector<double> back(6);
    in->to_psi(theta.column(0), back);
    expect_close(back, psi.column(0), 1e-9);
  }
}

TEST(Coordinates, NameTheColumnThatOthersDetermine) {
  Panel hessian(3, 3);
  const double rows[4][3] = {{1, 2, 3}, {2, 1, 3}, {0, 1, 1}, {4, 1, 5}};  // the third column is the sum of the others
  for (const auto& row : rows)
    for (Index j = 0; j < 3; ++j)
      for (std::size_t i = 0; i < 3; ++i) hessian.column(j)[i] += row[i] * row[j];
  EXPECT_EQ(Coordinates(std::vector<double>(3), hessian, true).raised(), std::vector<std::size_t>{2});
}

TEST(Coordinates, ThePriorIsTheSameLawInPsi) {
  const auto in = coordinates(5, true);
  const Prior prior = Prior::normal({1, 2, 0.5, 10, 3});
  const Prior pulled = in->pull_back(prior);
  Dice dice(4);
  Panel psi(5, 1), theta(5, 1), g(5, 1), expected(5, 1);
  std::ranges::copy(dice.normals(5), psi.column(0).begin());
  in->to_theta(psi, theta);
  EXPECT_NEAR(pulled.value(psi.column(0)), prior.value(theta.column(0)), 1e-10 * prior.value(theta.column(0)));
  prior.add_gradient(theta.column(0), 0.7, g.column(0));
  in->pull_back(g, expected);
  fill(g, 0.0);
  pulled.add_gradient(psi.column(0), 0.7, g.column(0));
  expect_close(g.column(0), expected.column(0), 1e-9);
  EXPECT_TRUE(in->pull_back(Prior::flat()).is_flat());
}

}  // namespace
}  // namespace pollen::testing
