// Regressions on data in natural units, with the defaults: units of the output, automatic priors, starts and
// coordinates (docs/models.md, docs/samplers.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "model/units.h"
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

// A csv file that disappears with the test.
struct Csv {
  std::string path = (std::filesystem::temp_directory_path() / ("pollen-units-" + std::to_string(::getpid()) + ".csv"));
  explicit Csv(const std::string& text) { std::ofstream(path) << text; }
  ~Csv() { std::filesystem::remove(path); }
  std::string config(const std::string& kind, const std::string& more = "") const {
    return fmt::format(
        "[model]\nkind = \"{}\"\n[data]\nsource = \"{}\"\ntarget = \"y\"\nclients = 2\n"
        "test_fraction = 0.0\n{}\n[sampler]\nname = \"lsd\"\n",
        kind, path, more);
  }
};

// Eight rows: u has mean 3 and sd 1, w is a time in seconds that varies by 1, and of the dummy column half are 1.
Csv eight_rows(const std::vector<std::string>& targets) {
  std::string text = "u,w,c,y\n";
  for (int r = 0; r < 8; ++r)
    text += fmt::format("{},{},{},{}\n", r % 2 == 0 ? 2 : 4, r / 2 % 2 == 0 ? 1700000000 - 1 : 1700000000 + 1,
                        r / 4 % 2 == 0 ? "a" : "b", targets[static_cast<std::size_t>(r) % targets.size()]);
  return Csv(text);
}

// The table of docs/models.md, with and without standardising and with and without an intercept.
TEST(NaturalUnits, ThePriorsNumbersAreThoseOfTheTable) {
  struct Kind {
    const char* name;
    std::vector<std::string> targets;
    double slope, mean, sd;  // of the intercept
    int blocks;
  };
  for (const Kind& kind :
       {Kind{"linear", {"10", "10", "10", "10", "30", "30", "30", "30"}, 25, 20, 25, 1},
        Kind{"logistic", {"no", "yes", "yes"}, 2.5, 0, 2.5, 1}, Kind{"softmax", {"p", "q", "r"}, 2.5, 0, 2.5, 3},
        Kind{"poisson", {"1", "3", "5", "7"}, 2.5, std::log(4.0), 2.5, 1}}) {
    const Csv file = eight_rows(kind.targets);
    for (const char* more : {"", "standardize = false"})
      for (const bool intercept : {true, false}) {
        const Experiment e(
            read_config_text(file.config(kind.name, more), "test.toml", {fmt::format("data.intercept={}", intercept)}));
        const ModelConfig& model = e.config().model;
        EXPECT_EQ(model.prior, "normal");
        std::vector<double> sd, mean;
        for (int block = 0; block < kind.blocks; ++block) {
          if (intercept) sd.push_back(kind.sd), mean.push_back(kind.mean);
          for (const double s : {1.0, 1.0, 0.5}) sd.push_back(kind.slope / s), mean.push_back(0);
        }
        if (kind.name == std::string("linear")) sd.push_back(1), mean.push_back(std::log(10.0));
        EXPECT_THAT(model.prior_sd, ::testing::Pointwise(::testing::DoubleNear(1e-6), sd)) << kind.name << more;
        EXPECT_THAT(model.prior_mean, ::testing::Pointwise(::testing::DoubleNear(1e-12), mean)) << kind.name << more;
        if (intercept) {
          EXPECT_THAT(model.prior_centre,
                      ::testing::Pointwise(::testing::DoubleNear(1e-6), std::vector<double>{3, 1.7e9, 0.5}));
        } else {
          EXPECT_THAT(model.prior_centre, ::testing::IsEmpty());
        }
      }
  }
}

// Whether columns are standardised inside or not, the prior of the coefficients is the same law.
TEST(NaturalUnits, WithoutStandardisingThePriorIsTheSameLaw) {
  const Csv file = eight_rows({"1", "3", "5", "7"});
  const auto potential = [&](const Overrides& overrides, const std::vector<double>& of_data) {
    Experiment e(read_config_text(file.config("poisson"), "test.toml", overrides));
    std::vector<double> theta = of_data;
    if (const auto& units = e.model().units) units->to_internal(theta);
    return e.questions().prior().value(theta);
  };
  // With η = 0.2 at the means: intercept 0.2 - 3·0.1 - 1.7e9·1e-9 - 0.5·0.3.
  const std::vector<double> at = {0.2 - 0.3 - 1.7 - 0.15, 0.1, 1e-9, 0.3};
  const double intercept = (0.2 - std::log(4.0)) / 2.5;
  const double expected = 0.5 * (intercept * intercept + (0.01 + 0.09 / 4 + 1e-18) / 6.25);
  EXPECT_NEAR(potential({}, at), expected, 1e-9);
  EXPECT_NEAR(potential({"data.standardize=false"}, at), expected, 1e-9);
}

// Without an intercept nothing takes up the columns' means, so that the model is η = Σ β_j x_j only if they stay.
TEST(NaturalUnits, WithoutAnInterceptTheModelGoesThroughTheOrigin) {
  const Csv file = eight_rows({"10", "14", "11", "13", "16", "22", "15", "21"});
  Experiment e(read_config_text(file.config("linear", "features = [\"u\"]\nintercept = false"), "test.toml",
                                {"model.noise_sd=1.0", "model.prior=flat", "run.init=mode"}));
  e.prepare();
  // Σ xy / Σ x² with x = 2, 4, 2, 4, ...: (2 (10 + 11 + 16 + 15) + 4 (14 + 13 + 22 + 21)) / 80.
  EXPECT_NEAR(e.position().column(0)[0], (2 * 52 + 4 * 70) / 80.0, 1e-6);
}

// With a flat prior only the data can tell columns apart. The last column is the sum of the others, exactly or nearly.
TEST(NaturalUnits, AFlatPriorWithCollinearColumnsIsImproper) {
  for (const double apart : {0.0, 1e-3}) {
    std::string text = "a,b,c,y\n";
    for (int r = 0; r < 60; ++r) {
      const double a = std::sin(1.3 * r), b = std::cos(2.1 * r * r);
      text += fmt::format("{},{},{},{}\n", a, b, a + b + apart * std::sin(5.0 * r * r), a - b + std::sin(0.7 * r * r));
    }
    const Csv file(text);
    Experiment e(read_config_text(file.config("linear"), "test.toml", {"model.prior=flat"}));
    try {
      e.prepare();
      EXPECT_GT(apart, 0) << "an improper posterior was accepted";
    } catch (const ConfigError& error) {
      EXPECT_EQ(apart, 0) << error.what();
      EXPECT_THAT(error.what(), HasSubstr("improper: c is determined"));
    }
  }
}

// log σ̂ is where the marginal likelihood N(y | 1 m_y, σ² I + X V Xᵀ), with V the prior's covariance, times the prior of
// log σ is largest, with fewer coefficients than rows and with more.
TEST(NaturalUnits, TheScaleIsThatOfTheMarginalLikelihood) {
  for (const int columns : {3, 12, 30}) {
    constexpr int kRows = 20;
    std::mt19937_64 bits(4);
    const auto normal = [&] {
      double sum = -6;
      for (int k = 0; k < 12; ++k) sum += static_cast<double>(bits() >> 11) / 9007199254740992.0;
      return sum;
    };
    MatrixXd x(kRows, columns);
    VectorXd y(kRows);
    std::string text;
    for (int j = 0; j < columns; ++j) text += fmt::format("c{},", j);
    text += "y\n";
    for (int r = 0; r < kRows; ++r) {
      for (int j = 0; j < columns; ++j) text += fmt::format("{},", x(r, j) = normal());
      text += fmt::format("{}\n", y[r] = 3 + x(r, 0) + 0.5 * normal());
    }
    const Csv file(text);
    Experiment e(read_config_text(file.config("linear"), "test.toml", {}));
    e.prepare();
    const double sy = std::sqrt((y.array() - y.mean()).square().mean());
    MatrixXd spread = MatrixXd::Constant(kRows, kRows, std::pow(2.5 * sy, 2));
    for (int j = 0; j < columns; ++j) {
      const VectorXd apart = x.col(j).array() - x.col(j).mean();
      spread += std::pow(2.5 * sy, 2) / (apart.squaredNorm() / kRows) * apart * apart.transpose();
    }
    const VectorXd apart = y.array() - y.mean();
    double best = 1e300, at = 0;
    for (double lambda = -8; lambda < 4; lambda += 0.002) {
      const MatrixXd whole = spread + std::exp(2 * lambda) * MatrixXd::Identity(kRows, kRows);
      const Eigen::LLT<MatrixXd> root(whole);
      const double u = root.matrixLLT().diagonal().array().log().sum() + 0.5 * apart.dot(root.solve(apart)) +
                       0.5 * std::pow(lambda - std::log(sy), 2);
      if (u < best) best = u, at = lambda;
    }
    EXPECT_NEAR(e.mode().back(), at, 0.01) << columns << " columns";
    for (const std::string& warning : e.warnings())
      EXPECT_EQ(warning.find("mode finder"), std::string::npos) << warning;
  }
}

// Sums of a number that has no exact binary form differ by rounding between clients of different sizes.
TEST(NaturalUnits, ATargetThatIsConstantUpToRoundingIsNamed) {
  std::string text = "g,u,y\n";
  for (int r = 0; r < 60; ++r) text += fmt::format("{},{},0.1\n", r < 3 ? "a" : r < 10 ? "b" : r < 29 ? "c" : "d", r);
  const Csv file(text);
  EXPECT_THROW(Experiment(read_config_text(file.config("linear", "partition = \"by-column\"\ncolumn = \"g\""),
                                           "test.toml", {"data.clients=4"})),
               ConfigError);
}

TEST(NaturalUnits, ANumberForTheStepTurnsCoordinatesOffAndSaysSo) {
  const Csv file = eight_rows({"10", "14", "11"});
  for (const char* more : {"output.scale=data", "output.scale=standardized", "data.standardize=false"}) {
    Experiment e(read_config_text(file.config("linear"), "test.toml", {"sampler.step=1e-3", more}));
    EXPECT_EQ(e.config().sampler.precondition, "none");
    EXPECT_THAT(e.notes(), ::testing::Contains(HasSubstr("sampler.precondition = \"none\""))) << more;
  }
}

TEST(NaturalUnits, ATargetThatNeverChangesIsNamed) {
  Incomes data(40);
  {
    std::ofstream csv(data.file);
    csv << "clinic,height,income\n";
    for (int r = 0; r < 40; ++r) csv << "c" << r % 2 << ',' << 160 + r % 31 << ",52000\n";
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
  EXPECT_THAT(experiment.warnings(),
              ::testing::Contains(AllOf(HasSubstr("31 coefficients fit 20 rows without error"),
                                        HasSubstr("leave out 21 columns or more"), HasSubstr("times 0.073"))));
  write_noise(data.file, 62, 30);
  EXPECT_THAT(Experiment(read_config_text(data.config(""), "test.toml", {})).warnings(), ::testing::IsEmpty());
}

TEST(NaturalUnits, ColumnsThatFitWithoutErrorAreSaidSo) {
  Incomes data(40);
  {
    std::ofstream csv(data.file);
    csv << "clinic,hours,income\n";
    for (int r = 0; r < 60; ++r) csv << "c" << r % 3 << ',' << 0.5 * r << ',' << 10 + 15 * r << "\n";
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
