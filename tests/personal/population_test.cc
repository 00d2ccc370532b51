// Tests the normal population: value, score and draws of every shape.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "problems.h"

namespace pollen {
namespace {

using testing::slope;
using Shape = NormalPopulation::Shape;
using Shapes = std::tuple<Shape, Shape>;

class NormalPrior : public ::testing::TestWithParam<Shapes> {
 protected:
  std::unique_ptr<Population> make() const {
    return make_normal_population({.mean = std::get<0>(GetParam()),
                                   .spread = std::get<1>(GetParam()),
                                   .mean_start = {0.2, -0.4, 0.1},
                                   .sd_start = {0.5, 1.5, 0.8}},
                                  3);
  }
};

TEST_P(NormalPrior, ScoreAndGradientAreThoseOfTheValue) {
  const auto population = make();
  std::vector<double> beta = population->start(), score(beta.size(), 0.0);
  for (std::size_t j = 0; j < beta.size(); ++j) beta[j] += 0.1 * static_cast<double>(j);
  std::array<double, 3> z{0.3, 1.1, -0.7}, g{};
  population->value(beta, z, g);
  population->add_score(beta, z, score);
  const auto value = [&] {
    std::array<double, 3> ignored{};
    return population->value(beta, z, ignored);
  };
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(g[j], slope(z[j], value), 1e-7);
  for (std::size_t j = 0; j < beta.size(); ++j) EXPECT_NEAR(score[j], -slope(beta[j], value), 1e-7) << j;
  EXPECT_EQ(population->labels({"a", "b", "c"}).size(), beta.size());
}

TEST_P(NormalPrior, PrecisionIsThatOfTheGradient) {
  const auto population = make();
  const std::vector<double> beta = population->start();
  std::array<double, 3> z{0.3, 1.1, -0.7};
  Panel precision(3, 3);
  population->add_precision(beta, precision);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const auto gradient = [&] {
        std::array<double, 3> g{};
        population->value(beta, z, g);
        return g[i];
      };
      EXPECT_NEAR(precision.column(static_cast<Index>(j))[i], slope(z[j], gradient), 1e-7) << i << ", " << j;
    }
}

TEST_P(NormalPrior, PlacesAreThoseOfDraws) {
  const auto population = make();
  std::vector<double> beta = population->start();
  const auto drawn = [&](std::size_t j, double normal) {
    std::array<double, 3> z{};
    z[j] = normal;
    population->draw(beta, z);
    return z[j];
  };
  for (std::size_t j = 0; j < 3; ++j) {
    const NormalPlace place = population->place(beta, static_cast<Index>(j)).value();
    EXPECT_DOUBLE_EQ(place.mean, drawn(j, 0));
    EXPECT_NEAR(place.sd, drawn(j, 1) - drawn(j, 0), 1e-12);
    for (std::size_t i = 0; i < beta.size(); ++i) {
      const bool of_mean = static_cast<Index>(i) == place.of_mean, of_sd = static_cast<Index>(i) == place.of_log_sd;
      EXPECT_NEAR(slope(beta[i], [&] { return drawn(j, 2); }), of_mean ? 1 : of_sd ? 2 * place.sd : 0, 1e-7) << i;
    }
  }
}

TEST_P(NormalPrior, DrawsHaveItsMoments) {
  const auto population = make();
  const std::vector<double> beta = population->start();
  std::array<double, 3> sum{}, squares{}, mean{}, sd{};
  // Standard normals of z = 0 and z = 1 reveal mean and sd.
  population->draw(beta, mean);
  sd = {1, 1, 1};
  population->draw(beta, sd);
  for (std::size_t j = 0; j < 3; ++j) sd[j] -= mean[j];
  constexpr int n = 20000;
  Stream stream = make_stream(3, 0, Purpose::init);
  for (int i = 0; i < n; ++i) {
    std::array<double, 3> z{};
    stream.round = static_cast<std::uint64_t>(i);
    normals(stream, z);
    population->draw(beta, z);
    for (std::size_t j = 0; j < 3; ++j) {
      sum[j] += z[j] / n;
      squares[j] += (z[j] - mean[j]) * (z[j] - mean[j]) / n;
    }
  }
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(sum[j], mean[j], 4 * sd[j] / std::sqrt(n));
    EXPECT_NEAR(squares[j], sd[j] * sd[j], 4 * sd[j] * sd[j] * std::sqrt(2.0 / n));
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, NormalPrior,
                         ::testing::Combine(::testing::Values(Shape::vector, Shape::scalar, Shape::fixed),
                                            ::testing::Values(Shape::vector, Shape::scalar, Shape::fixed)));

TEST(NormalPopulationBox, KeepsBetaInside) {
  const auto population = make_normal_population({.least_sd = 0.1, .most_sd = 2, .mean_radius = 1}, 2);
  std::array<double, 3> beta{3, 4, -10};
  population->project(beta);
  EXPECT_NEAR(beta[0], 0.6, 1e-12);
  EXPECT_NEAR(beta[1], 0.8, 1e-12);
  EXPECT_NEAR(beta[2], std::log(0.1), 1e-12);
  beta = {0.1, 0.1, 5};
  population->project(beta);
  EXPECT_EQ(beta[0], 0.1);
  EXPECT_NEAR(beta[2], std::log(2), 1e-12);
}

}  // namespace
}  // namespace pollen
