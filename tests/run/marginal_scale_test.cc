// Where the normal approximation of a linear model with unknown σ is made: at the mode of log σ's own posterior, also
// with as many coefficients as rows, where the joint mode is at σ = 0.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "pollen/errors.h"
#include "support/problems.h"

namespace pollen {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Rows of columns that are known by themselves, and a target with or without error.
struct Table {
  MatrixXd x;
  VectorXd y;
  std::string file;

  Table(int rows, int columns, double error) : x(rows, columns), y(rows) {
    file = (std::filesystem::temp_directory_path() / ("pollen-scale-" + std::to_string(::getpid()) + "-" +
                                                      std::to_string(rows) + "-" + std::to_string(columns) + ".csv"))
               .string();
    std::mt19937_64 bits(5);
    const auto uniform = [&] { return (static_cast<double>(bits() >> 11) + 0.5) / 9007199254740992.0; };
    const auto normal = [&] { return std::sqrt(-2 * std::log(uniform())) * std::cos(6.283185307179586 * uniform()); };
    std::ofstream csv(file);
    for (int j = 0; j < columns; ++j) csv << "x" << j << ',';
    csv << "y\n";
    for (int r = 0; r < rows; ++r) {
      for (int j = 0; j < columns; ++j) x(r, j) = normal();
      y[r] = x.row(r).head(3).sum() + error * normal();
      for (int j = 0; j < columns; ++j) csv << fmt::format("{},", x(r, j));
      csv << fmt::format("{}\n", y[r]);
    }
  }
  ~Table() { std::filesystem::remove(file); }

  std::string config(const std::string& model) const {
    return fmt::format(
        "[model]\nkind = \"linear\"\n{}\n[data]\nsource = \"{}\"\ntarget = \"y\"\nclients = 3\nstandardize = false\n"
        "intercept = false\ntest_fraction = 0.0\n[sampler]\nname = \"lsd\"\nprecondition = \"none\"\n",
        model, file);
  }
};

std::vector<double> found_mode(const std::string& text) {
  Experiment experiment(read_config_text(text, "test.toml", {}));
  experiment.prepare();
  return experiment.mode();
}

// -log p(λ | y) where β ~ N(0, 1) was integrated out and λ ~ N(0, 1): y ~ N(0, σ² + XXᵀ).
double marginal(const Table& data, double lambda) {
  const auto n = data.y.size();
  const MatrixXd covariance = std::exp(2 * lambda) * MatrixXd::Identity(n, n) + data.x * data.x.transpose();
  const Eigen::LLT<MatrixXd> root(covariance);
  return root.matrixLLT().diagonal().array().log().sum() + 0.5 * data.y.dot(root.solve(data.y)) + 0.5 * lambda * lambda;
}

class MarginalScaleOf : public ::testing::TestWithParam<std::pair<int, int>> {};

TEST_P(MarginalScaleOf, IsTheModeWithCoefficientsIntegratedOut) {
  const auto [rows, columns] = GetParam();
  const Table data(rows, columns, 0.3);
  const std::vector<double> mode = found_mode(data.config("prior = \"normal\"\nprior_sd = 1.0"));
  ASSERT_EQ(std::ssize(mode), columns + 1);
  const double lambda = mode.back(), width = 1e-3;
  const double below = marginal(data, lambda - width), at = marginal(data, lambda),
               above = marginal(data, lambda + width);
  const double bend = (below - 2 * at + above) / (width * width);
  ASSERT_GT(bend, 0);
  EXPECT_LT(std::abs(above - below) / (2 * width * bend), 1e-4);  // Newton's step from there
  const double precision = std::exp(-2 * lambda);
  const VectorXd best = (precision * data.x.transpose() * data.x + MatrixXd::Identity(columns, columns))
                            .llt()
                            .solve(precision * data.x.transpose() * data.y);
  for (int j = 0; j < columns; ++j) EXPECT_NEAR(mode[static_cast<std::size_t>(j)], best[j], 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Shapes, MarginalScaleOf,
                         ::testing::Values(std::pair(60, 5), std::pair(20, 15), std::pair(20, 20), std::pair(15, 30)));

// A plan asks for the mode before anything else has been set up.
TEST(MarginalScale, APlanFindsTheModeOfARun) {
  const Table data(15, 30, 0.3);
  const std::string text = data.config("prior = \"normal\"\nprior_sd = 1.0");
  Experiment planned(read_config_text(text, "test.toml", {}));
  EXPECT_EQ(planned.questions().mode(), found_mode(text));
}

TEST(MarginalScale, ColumnsWithoutErrorAreNamedAsSuch) {
  const Table data(40, 4, 0);
  try {
    found_mode(data.config("prior = \"flat\""));
    FAIL() << "nothing was thrown";
  } catch (const ConfigError& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("without error"));
  }
}

TEST(MarginalScale, MoreColumnsThanRowsNeedAPrior) {
  const Table data(15, 30, 0.3);
  try {
    found_mode(data.config("prior = \"flat\""));
    FAIL() << "nothing was thrown";
  } catch (const ConfigError& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("improper"));
  }
}

}  // namespace
}  // namespace pollen
