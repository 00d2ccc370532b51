// Tests the Gaussian potentials and priors against known answers.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model/problem.h"

namespace pollen::testing {
namespace {

TEST(Gaussian, MeanAndPrecision) {
  const auto u = make_gaussian({1.0, -2.0}, {2.0, 0.3, 0.3, 1.0});
  const double theta[] = {2.0, 0.0};  // θ - μ = (1, 2)
  EXPECT_EQ(u->dimension(), 2);
  EXPECT_EQ(u->rows(), 1);
  EXPECT_DOUBLE_EQ(value_of(*u, theta), 0.5 * (2.0 + 2 * 0.3 * 2 + 4.0));
  EXPECT_DOUBLE_EQ(gradient_of(*u, theta)[0], 2.6);
  EXPECT_DOUBLE_EQ(gradient_of(*u, theta)[1], 2.3);
}

TEST(Gaussian, DataEqualsMeanAndPrecisionUpToAConstant) {
  const Case data = make_case("gaussian-data", 50, 4);
  std::vector<double> mean(4, 0.0), precision(16, 0.0);
  for (Index r = 0; r < 50; ++r)
    for (std::size_t j = 0; j < 4; ++j) mean[j] += data.observations.x.row(r)[j] / 50;
  for (std::size_t j = 0; j < 4; ++j) precision[5 * j] = 50.0;
  const auto closed = make_gaussian(mean, precision);
  const Panel theta = data.chains(2, 1);
  expect_close(gradient_of(*data.potential, theta.column(0)), gradient_of(*closed, theta.column(0)), 1e-13);
  EXPECT_NEAR(value_of(*data.potential, theta.column(0)) - value_of(*data.potential, theta.column(1)),
              value_of(*closed, theta.column(0)) - value_of(*closed, theta.column(1)), 1e-11);
}

TEST(Gaussian, DataFarFromTheOriginKeepTheirDigits) {
  const double far = 1e8;
  const double y[] = {far - 1, far + 1, far - 2, far + 2};
  const auto u = make_gaussian_data(RowsView{y, 4, 1, 1});
  const double theta[] = {far};
  EXPECT_DOUBLE_EQ(value_of(*u, theta), 5.0);
  EXPECT_DOUBLE_EQ(gradient_of(*u, theta)[0], 0.0);
}

TEST(Prior, NormalHasAPrecisionForEveryCoordinate) {
  const Prior prior = Prior::normal({1.0, 2.0, std::numeric_limits<double>::infinity()});
  const double theta[] = {3.0, 4.0, 5.0};
  EXPECT_DOUBLE_EQ(prior.value(theta), 0.5 * (9.0 + 4.0));
  std::vector<double> g = {1.0, 1.0, 1.0};
  prior.add_gradient(theta, 0.5, g);
  EXPECT_DOUBLE_EQ(g[0], 2.5);
  EXPECT_DOUBLE_EQ(g[1], 1.5);
  EXPECT_DOUBLE_EQ(g[2], 1.0);
}

TEST(Prior, FlatAddsNothing) {
  const double theta[] = {3.0, 4.0};
  std::vector<double> g = {1.0, 2.0};
  Prior::flat().add_gradient(theta, 1.0, g);
  EXPECT_EQ(g, (std::vector<double>{1.0, 2.0}));
  EXPECT_EQ(Prior::flat().value(theta), 0.0);
}

}  // namespace
}  // namespace pollen::testing
