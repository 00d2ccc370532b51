// Regressions on data in natural units, with the defaults: units of the output, automatic priors, starts and
// coordinates (docs/models.md, docs/samplers.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "pollen/errors.h"
#include "pollen/stats.h"
#include "support/problems.h"

namespace pollen {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::Collect;
using ::testing::HasSubstr;

// Yearly incomes in dollars on height in centimetres and sex, with an interaction, in eight clinics. The interaction
// makes the columns nearly collinear in their own units.
struct Incomes {
  MatrixXd x;  // rows × 4, in the data's units, the intercept first
  VectorXd y;
  std::string file;

  explicit Incomes(int rows) : x(rows, 4), y(rows) {
    file = (std::filesystem::temp_directory_path() /
            ("pollen-incomes-" + std::to_string(::getpid()) + "-" + std::to_string(rows) + ".csv"))
               .string();
    std::ofstream csv(file);
    csv << "clinic,height,male,height_male,income\n";
    std::mt19937_64 bits(11);
    const auto uniform = [&] { return (static_cast<double>(bits() >> 11) + 0.5) / 9007199254740992.0; };
    const auto normal = [&] { return std::sqrt(-2 * std::log(uniform())) * std::cos(6.283185307179586 * uniform()); };
    for (int r = 0; r < rows; ++r) {
      const double male = uniform() < 0.5 ? 1 : 0;
      const double height = 165 + 12 * male + 7 * normal();
      x.row(r) << 1, height, male, height * male;
      y[r] = -20000 + 350 * height + 4000 * male + 20 * height * male + 9000 * normal();
      csv << "c" << r % 8 << ',' << fmt::format("{},{},{},{}\n", height, male, height * male, y[r]);
    }
  }
  ~Incomes() { std::filesystem::remove(file); }

  std::string config(const std::string& more) const {
    return fmt::format(R"(
[model]
kind = "linear"
{}
[data]
source = "{}"
target = "income"
partition = "by-column"
column = "clinic"
test_fraction = 0.0
)",
                       more, file);
  }
};

struct Sampled {
  std::vector<std::string> labels;
  VectorXd mean, sd;
  double least_ess = 1e300;
  std::vector<std::string> warnings;
};

Sampled sampled(const std::string& text, const Overrides& overrides) {
  Experiment experiment(read_config_text(text, "test.toml", overrides));
  experiment.prepare();
  Collect collect;
  experiment.advance(experiment.config().run.iterations, collect);
  Sampled out{experiment.labels(), {}, {}, 1e300, experiment.warnings()};
  const Index d = experiment.dimension(), chains = experiment.config().run.chains;
  out.mean = out.sd = VectorXd::Zero(d);
  for (Index j = 0; j < d; ++j) {
    std::vector<double> coordinate;
    for (const auto& chain : collect.draws)
      for (std::size_t t = static_cast<std::size_t>(j); t < chain.size(); t += static_cast<std::size_t>(d))
        coordinate.push_back(chain[t]);
    const Eigen::Map<const VectorXd> all(coordinate.data(), std::ssize(coordinate));
    out.mean[j] = all.mean();
    out.sd[j] = std::sqrt((all.array() - out.mean[j]).square().mean());
    out.least_ess = std::min(out.least_ess, stats::ess_bulk({coordinate, chains}));
  }
  return out;
}

// The posterior of the coefficients with a known noise, which is a normal law, under the documented prior: slopes
// N(0, (2.5 s_y/s_j)²), and the intercept at the columns' means N(m_y, (2.5 s_y)²). All is in the data's units.
std::pair<VectorXd, MatrixXd> exact_posterior(const Incomes& data, double noise) {
  const auto n = static_cast<double>(data.y.size());
  const double my = data.y.mean(), sy = std::sqrt((data.y.array() - my).square().sum() / n);
  MatrixXd precision = data.x.transpose() * data.x / (noise * noise);
  VectorXd shift = data.x.transpose() * data.y / (noise * noise);
  VectorXd at_means(4);
  at_means[0] = 1;
  for (int j = 1; j < 4; ++j) {
    const double mean = data.x.col(j).mean();
    const double sd = std::sqrt((data.x.col(j).array() - mean).square().sum() / n);
    precision(j, j) += std::pow(2.5 * sy / sd, -2);
    at_means[j] = mean;
  }
  precision += std::pow(2.5 * sy, -2) * at_means * at_means.transpose();
  shift += my * std::pow(2.5 * sy, -2) * at_means;
  const MatrixXd covariance = precision.inverse();
  return {covariance * shift, covariance};
}

TEST(NaturalUnits, DefaultsGiveThePosteriorInTheUnitsOfTheData) {
  const Incomes data(400);
  const Sampled found =
      sampled(data.config("noise_sd = 9000.0"), {"sampler.name=lsd", "run.iterations=6000", "run.burn_in=500"});
  ASSERT_EQ(found.labels, (std::vector<std::string>{"intercept", "height", "male", "height_male"}));
  const auto [mean, covariance] = exact_posterior(data, 9000.0);
  EXPECT_GT(found.least_ess, 400);
  for (int j = 0; j < 4; ++j) {
    const double sd = std::sqrt(covariance(j, j));
    EXPECT_NEAR(found.mean[j], mean[j], 5 * sd / std::sqrt(found.least_ess))
        << found.labels[static_cast<std::size_t>(j)];
    // The step may widen the law by a few percent.
    EXPECT_NEAR(found.sd[j] / sd, 1.0, 0.03 + 5 / std::sqrt(2 * found.least_ess));
  }
}

// With a sampled noise the law of the coefficients is close to that with the noise at its estimate.
TEST(NaturalUnits, WithSampledNoiseTheDefaultsMix) {
  const Incomes data(300);
  const Sampled found = sampled(data.config(""), {"sampler.name=lsd", "run.iterations=8000", "run.burn_in=500"});
  const VectorXd ols = (data.x.transpose() * data.x).ldlt().solve(data.x.transpose() * data.y);
  const double residual = std::sqrt((data.y - data.x * ols).squaredNorm() / static_cast<double>(data.y.size() - 4));
  const auto [mean, covariance] = exact_posterior(data, residual);
  EXPECT_GT(found.least_ess, 400);
  EXPECT_NEAR(found.mean[4], std::log(residual), 0.05);
  for (int j = 0; j < 4; ++j) EXPECT_NEAR(found.mean[j], mean[j], 0.25 * std::sqrt(covariance(j, j)));
}

TEST(NaturalUnits, TheScaleOfTheOutputChangesNoDraw) {
  const Incomes data(200);
  const auto draws = [&](const char* scale) {
    Experiment experiment(read_config_text(
        data.config(""), "test.toml", {std::string("output.scale=") + scale, "run.iterations=20", "run.burn_in=0"}));
    experiment.prepare();
    Collect collect;
    experiment.advance(20, collect);
    return std::pair(collect.draws[0], experiment.data().scaling);
  };
  const auto [units, scaling] = draws("data");
  const auto [internal, same] = draws("standardized");
  ASSERT_EQ(units.size(), internal.size());
  for (std::size_t t = 0; t < units.size(); t += 5) {
    double intercept = internal[t];
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_DOUBLE_EQ(units[t + 1 + j], internal[t + 1 + j] / scaling.sd[j]);
      intercept -= units[t + 1 + j] * scaling.mean[j];
    }
    EXPECT_NEAR(units[t], intercept, 1e-9 * std::abs(intercept));
    EXPECT_EQ(units[t + 4], internal[t + 4]);
  }
}

// The configuration that a run leaves has the prior's numbers, and samples the same draws without the word "auto".
TEST(NaturalUnits, TheWrittenConfigurationGivesTheSameDraws) {
  const Incomes data(200);
  const auto draws = [](const std::string& text, const Overrides& overrides) {
    Experiment experiment(read_config_text(text, "test.toml", overrides));
    experiment.prepare();
    Collect collect;
    experiment.advance(experiment.config().run.iterations, collect);
    return std::pair(collect.draws, to_toml(experiment.config()));
  };
  const auto [first, written] = draws(data.config(""), {"run.iterations=50"});
  EXPECT_THAT(written, HasSubstr("prior = \"normal\""));
  EXPECT_THAT(written, HasSubstr("prior_centre = ["));
  EXPECT_EQ(draws(written, {}).first, first);
}

TEST(NaturalUnits, ATargetThatNeverChangesIsNamed) {
  Incomes data(40);
  {
    std::ofstream csv(data.file);
    csv << "clinic,height,income\n";
    for (int r = 0; r < 40; ++r) csv << "c" << r % 2 << ',' << 160 + r << ",52000\n";
  }
  try {
    sampled(data.config(""), {});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("income"));
    EXPECT_THAT(error.what(), HasSubstr("52000"));
  }
}

// The mode of a linear model with sampled sigma does not depend on where its search begins.
TEST(NaturalUnits, UnderAFlatPriorTheModeIsLeastSquaresWithItsResidualStandardError) {
  const Incomes data(60);
  Experiment experiment(read_config_text(data.config(""), "test.toml", {"model.prior=flat"}));
  experiment.prepare();
  const VectorXd ols = data.x.colPivHouseholderQr().solve(data.y);
  const double residual = std::sqrt((data.y - data.x * ols).squaredNorm() / static_cast<double>(data.y.size() - 4));
  const std::vector<double> mode = experiment.mode();
  ASSERT_EQ(mode.size(), 5u);
  for (int j = 0; j < 4; ++j) EXPECT_NEAR(mode[static_cast<std::size_t>(j)], ols[j], 1e-6 * std::abs(ols[j])) << j;
  EXPECT_NEAR(mode[4], std::log(residual), 1e-5);
}

// Writes a target and noise columns that have nothing to do with it.
void write_noise(const std::string& file, int rows, int columns) {
  std::ofstream csv(file);
  std::mt19937_64 bits(3);
  const auto normal = [&] {
    const auto uniform = [&] { return (static_cast<double>(bits() >> 11) + 0.5) / 9007199254740992.0; };
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  };
  csv << "clinic,income";
  for (int j = 0; j < columns; ++j) csv << ",x" << j;
  for (int r = 0; r < rows; ++r) {
    csv << "\nc" << r % 3 << ',' << 50000 + 9000 * normal();
    for (int j = 0; j < columns; ++j) csv << ',' << normal();
  }
  csv << '\n';
}

// Draws of many coefficients that are each a little too wide add up to residuals that are too large, so that log sigma
// comes out too high: by 0.24 of its sd here at the step that keeps sds within 3 %.
TEST(NaturalUnits, ManyColumnsTakeASmallerStepForSigma) {
  Incomes data(40);
  write_noise(data.file, 160, 50);
  Experiment experiment(read_config_text(data.config(""), "test.toml", {"sampler.name=lsd"}));
  experiment.prepare();
  ASSERT_NE(experiment.forecast(), nullptr);
  EXPECT_TRUE(experiment.forecast()->ok);
  EXPECT_EQ(experiment.forecast()->most_biased, "log_sigma");
  EXPECT_NEAR(experiment.forecast()->bias, 0.1, 0.002);
  EXPECT_LT(experiment.forecast()->most_ratio, 1.02);
  Experiment wide(read_config_text(data.config(""), "test.toml",
                                   {"sampler.name=lsd", "sampler.step=0.114", "sampler.precondition=full"}));
  wide.prepare();
  ASSERT_NE(wide.forecast(), nullptr);
  EXPECT_FALSE(wide.forecast()->ok);
  // The trace of the coefficients' excess, 51 γ/2, times the sd of log sigma, 1/√(2 (160 - 51)).
  EXPECT_NEAR(wide.forecast()->bias, 51 * 0.114 / 2 / std::sqrt(2 * 109.0), 0.03);
  EXPECT_EQ(wide.forecast()->cause, "the step size");
}

// As many columns as rows: sigma has a posterior, but the joint mode is at sigma = 0.
TEST(NaturalUnits, MoreColumnsThanRowsStartWhereSigmaIsProbable) {
  Incomes data(40);
  write_noise(data.file, 20, 30);
  Experiment experiment(read_config_text(data.config(""), "test.toml", {}));
  experiment.prepare();
  EXPECT_NEAR(experiment.mode().back(), std::log(9000.0), 2);
}

TEST(NaturalUnits, ColumnsThatFitWithoutErrorAreSaidSo) {
  Incomes data(40);
  {
    std::ofstream csv(data.file);
    csv << "clinic,hours,income\n";
    for (int r = 0; r < 60; ++r) csv << "c" << r % 3 << ',' << r << ',' << 10 + 15 * r << "\n";
  }
  try {
    sampled(data.config(""), {});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("without error"));
    EXPECT_THAT(error.what(), HasSubstr("noise_sd"));
  }
}

// A start at twice the posterior's spread would explode a Poisson chain whose rates follow from large coefficients, so
// starts that are too far up are moved towards the mode.
TEST(NaturalUnits, StartsAreSpreadAroundTheModeButNotTooFar) {
  Incomes data(60);
  std::vector<std::pair<double, double>> rows;  // hours and calls
  {
    std::ofstream csv(data.file);
    csv << "clinic,hours,income\n";
    for (int r = 0; r < 60; ++r) {
      rows.emplace_back(r % 30, r % 30 == 29 ? 40 : r % 3 == 0 ? 1 : 0);
      csv << "c" << r % 3 << ',' << rows.back().first << ',' << rows.back().second << "\n";
    }
  }
  Experiment experiment(read_config_text(data.config(""), "test.toml", {"model.kind=poisson", "run.chains=64"}));
  experiment.prepare();
  const auto potential = [&](std::span<const double> theta) {
    double u = 0;
    for (const auto& [hours, calls] : rows) {
      const double z = theta[0] + theta[1] * hours;
      u += std::exp(z) - calls * z;
    }
    return u;
  };
  const std::vector<double> mode = experiment.mode();
  double farthest = 0;
  for (Index c = 0; c < 64; ++c) {
    const double above = potential(experiment.position().column(c)) - potential(mode);
    EXPECT_LT(above, 2 * 2 + 12 * std::sqrt(2.0) + 1);  // the prior has the rest
    farthest = std::max(farthest, above);
  }
  EXPECT_GT(farthest, 4);
}

}  // namespace
}  // namespace pollen
