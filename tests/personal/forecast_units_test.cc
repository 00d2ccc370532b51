// Predictions of mixed models whose columns are in dollars, in small shares and in seconds since 1970, with the
// uncertainty of the estimates, against the normal law of the estimates and against the same columns near 1.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <Eigen/Dense>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "pollen/random.h"
#include "run/experiment.h"

namespace pollen {
namespace {

// A column is scale × (centre + N(0, 1)).
struct Column {
  double scale, centre;
};

class ForecastUnits : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  // The prediction for a new client at columns of one standard deviation above their centres.
  Forecast forecast(const std::vector<Column>& columns) {
    std::ofstream file(path_);
    file << "who,budget,share,second,cost\n";
    Sequence draws(make_stream(21, 0, Purpose::synthetic));
    for (int i = 0; i < 24; ++i) {
      const double z = 300 * draws.normal();
      for (int r = 0; r < 6; ++r) {
        double cost = 8000 + z + 500 * draws.normal();
        std::string cells;
        for (const Column& column : columns) {
          const double x = draws.normal();
          cost += 400 * x;
          cells += fmt::format("{},", column.scale * (column.centre + x));
        }
        file << fmt::format("c{},{}{}\n", i + 10, cells, cost);
      }
    }
    file.close();
    Experiment experiment(read_config_text(
        fmt::format("[model]\nkind = \"mixed-gaussian\"\n[data]\nsource = \"{}\"\ntarget = \"cost\"\npartition = "
                    "\"by-column\"\ncolumn = \"who\"\ntest_fraction = 0.0\n[run]\niterations = 200\nchains = 1\n",
                    path_),
        "test.toml"));
    experiment.prepare();
    Sink nobody;
    experiment.advance(200, nobody);
    const PersonalResults& personal = *experiment.personal();
    const Estimates estimates = personal.estimates();
    EXPECT_FALSE(estimates.covariance.empty()) << estimates.why;
    const Federation& data = experiment.data();
    Table row;
    row.rows = 1;
    row.columns = data.train.columns;
    row.stride = data.train.stride;
    row.x = Numbers(static_cast<std::size_t>(row.stride));
    row.x.data()[0] = 1;
    Eigen::VectorXd at(6);  // the gradient of the mean by (φ, log σ, μ, log σ_z) in the units of the data
    at << 0, 0, 0, 0, 1, 0;
    for (std::size_t j = 0; j < 3; ++j) {
      at(static_cast<Index>(j)) = columns[j].scale * (columns[j].centre + 1);
      row.x.data()[1 + j] = (at(static_cast<Index>(j)) - data.scaling.mean[j]) / data.scaling.sd[j];
    }
    const auto value = Eigen::VectorXd::Map(estimates.value.data(), 6);
    const auto covariance = Eigen::MatrixXd::Map(estimates.covariance.data(), 6, 6);
    // E σ_z² for a normal log σ_z
    variance_ = at.dot(covariance * at) + std::exp(2 * value(5) + 2 * covariance(5, 5));
    mean_ = at.dot(value);
    return personal.forecast({row, std::nullopt, row.part(0, 0)}, {personal.learnt(), estimates.own_covariance}, 4000,
                             0.9);
  }

  double mean_ = 0, variance_ = 0;
  std::string path_ = fmt::format("{}forecast-units-{}.csv", ::testing::TempDir(), ::getpid());
};

// With 1,000 positions and 4,000 draws the ends of the interval have a standard error of about 4 % of an sd.
TEST_F(ForecastUnits, ColumnsOfAnyScaleGiveTheNormalLawOfTheEstimates) {
  const Forecast found = forecast({{1e6, 3}, {1e-4, 5}, {600, 2.8e6}});
  const double sd = std::sqrt(variance_), centre = (found.mean_lower[0] + found.mean_upper[0]) / 2;
  EXPECT_NEAR(centre, mean_, 0.15 * sd);
  EXPECT_NEAR((found.mean_upper[0] - found.mean_lower[0]) / 2, 1.645 * sd, 0.1 * 1.645 * sd);
  const Forecast plain = forecast({{1, 3}, {1, 5}, {1, 0}});
  EXPECT_NEAR(found.mean[0], plain.mean[0], 0.05 * sd);
  EXPECT_NEAR(found.mean_lower[0], plain.mean_lower[0], 0.1 * sd);
  EXPECT_NEAR(found.mean_upper[0], plain.mean_upper[0], 0.1 * sd);
}

// In the units of the data the covariance of such an intercept and slope is 19 digits wide.
TEST_F(ForecastUnits, SecondsSince1970WithinASecondKeepTheirDigits) {
  const Forecast plain = forecast({{1, 3}, {1, 5}, {1, 0}}), found = forecast({{1, 3}, {1, 5}, {1, 1.7e9}});
  const double width = plain.mean_upper[0] - plain.mean_lower[0];
  EXPECT_NEAR(found.mean[0], plain.mean[0], 0.01 * width);
  EXPECT_NEAR(found.mean_lower[0], plain.mean_lower[0], 0.01 * width);
  EXPECT_NEAR(found.mean_upper[0], plain.mean_upper[0], 0.01 * width);
}

}  // namespace
}  // namespace pollen
