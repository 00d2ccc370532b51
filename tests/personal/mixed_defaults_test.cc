// Mixed-effects models with default settings on data in natural units: estimates and standard errors against the
// likelihood, and the units of what is reported.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "pollen/errors.h"
#include "pollen/random.h"
#include "run/experiment.h"
#include "run/mixed_units.h"
#include "stats/mixed_law.h"

namespace pollen {
namespace {

// A file with rows, removed at the end.
class MixedDefaults : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  void start(const std::string& model, const std::string& target, const Overrides& set) {
    experiment_ = std::make_unique<Experiment>(read_config_text(
        fmt::format("[model]\n{}\n[data]\nsource = \"{}\"\ntarget = \"{}\"\npartition = \"by-column\"\n"
                    "column = \"who\"\ntest_fraction = 0.0\n",
                    model, path_, target),
        "test.toml", set));
    experiment_->prepare();
  }
  Estimates fit(const std::string& model, const std::string& target, const Overrides& set) {
    start(model, target, set);
    Sink nobody;
    experiment_->advance(experiment_->config().run.iterations, nobody);
    return experiment_->config().run.iterations > 10 ? experiment_->personal()->estimates() : Estimates();
  }

  std::string path_ = fmt::format("{}mixed-defaults-{}.csv", ::testing::TempDir(), ::getpid());
  std::unique_ptr<Experiment> experiment_;
};

// Reaction times in milliseconds of 18 subjects on days 0 to 9, like lme4's sleepstudy, with a fixed column `age` that
// has a large mean.
std::vector<stats::MixedClient> write_reactions(const std::string& path, Index random, const char* age_column = "age") {
  std::ofstream file(path);
  file << fmt::format("who,day,{},reaction\n", age_column);
  Sequence draws(make_stream(12, 0, Purpose::synthetic));
  std::vector<stats::MixedClient> clients;
  for (int i = 0; i < 18; ++i) {
    const double start = 25 * draws.normal(), slope = 6 * draws.normal(), age = std::round(40 + 8 * draws.normal());
    stats::MixedClient client{Eigen::MatrixXd(10, random == 2 ? 1 : 2), Eigen::MatrixXd(10, random),
                              Eigen::VectorXd(10)};
    for (int day = 0; day < 10; ++day) {
      client.y(day) = 251 + 10.5 * day + 0.7 * (age - 40) + start + slope * day + 26 * draws.normal();
      file << fmt::format("s{},{},{},{}\n", i + 10, day, age, client.y(day));
      client.random(day, 0) = 1;
      (random == 2 ? client.random(day, 1) : client.fixed(day, 0)) = day;
      client.fixed(day, random == 2 ? 0 : 1) = age;
    }
    clients.push_back(client);
  }
  return clients;
}

// (φ, log σ, μ, log σ_z), the order of the estimates.
Eigen::VectorXd in_order(const stats::MixedParameters& p) {
  Eigen::VectorXd out(p.phi.size() + 1 + 2 * p.mean.size());
  out << p.phi, p.log_noise, p.mean, p.log_sd;
  return out;
}

stats::MixedParameters from_order(const Eigen::VectorXd& x, Index fixed, Index random) {
  return {x.head(fixed), x.segment(fixed + 1, random), x.tail(random), x(fixed)};
}

// The inverse of minus the second derivatives of the log-likelihood, by differences of its gradient.
Eigen::MatrixXd covariance_at(const std::vector<stats::MixedClient>& clients, const Eigen::VectorXd& x) {
  const Index d = x.size(), random = clients.front().random.cols(), fixed = clients.front().fixed.cols();
  Eigen::MatrixXd information(d, d);
  for (Index j = 0; j < d; ++j) {
    const double h = 1e-4 * (1 + std::abs(x(j)));
    const Eigen::VectorXd step = h * Eigen::VectorXd::Unit(d, j);
    const auto slope = [&](const Eigen::VectorXd& at) {
      return in_order(stats::mixed_gradient(clients, from_order(at, fixed, random)));
    };
    information.col(j) = (slope(x - step) - slope(x + step)) / (2 * h);
  }
  return information.inverse();
}

void expect_likelihood(const Estimates& found, const std::vector<stats::MixedClient>& clients) {
  const Index fixed = clients.front().fixed.cols(), random = clients.front().random.cols();
  stats::MixedParameters start{Eigen::VectorXd::Zero(fixed), Eigen::VectorXd::Zero(random),
                               Eigen::VectorXd::Constant(random, 3), 3};
  const Eigen::VectorXd exact = in_order(stats::mixed_mle(clients, start));
  const Eigen::MatrixXd covariance = covariance_at(clients, exact);
  ASSERT_EQ(static_cast<Index>(found.value.size()), exact.size());
  ASSERT_FALSE(found.covariance.empty()) << found.why;
  for (Index j = 0; j < exact.size(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    const double se = std::sqrt(covariance(j, j));
    EXPECT_NEAR(found.value[at], exact(j), 0.1 * se) << j;
    EXPECT_NEAR(found.se(at), se, 0.1 * se) << j;
    for (Index k = 0; k < j; ++k)  // also the intercept's, whose columns were centred inside
      EXPECT_NEAR(found.covariance[at * found.value.size() + static_cast<std::size_t>(k)], covariance(j, k),
                  0.1 * se * std::sqrt(covariance(k, k)))
          << j << ", " << k;
  }
}

TEST_F(MixedDefaults, FedsoulFindsTheMaximumLikelihoodWithRandomSlopes) {
  const auto clients = write_reactions(path_, 2);
  expect_likelihood(
      fit("kind = \"mixed-gaussian\"\nrandom = [\"intercept\", \"day\"]", "reaction", {"run.iterations=2000"}),
      clients);
}

TEST_F(MixedDefaults, FedsoukFindsTheMaximumLikelihoodWithRandomIntercepts) {
  const auto clients = write_reactions(path_, 1);
  expect_likelihood(fit("kind = \"mixed-gaussian\"", "reaction", {"sampler.name=fedsouk", "run.iterations=2000"}),
                    clients);
}

// Hospitals of very different sizes and a column that only differs between them. If a hospital's effect were known, its
// rows would tell a hundred times as much about the column's coefficient as they do: the algorithm is slow there, and
// draws would lose what is left of the information.
TEST_F(MixedDefaults, ClientsOfUnequalSizesWithAColumnOfTheirOwn) {
  std::ofstream file(path_);
  file << "who,dose,beds,y\n";
  Sequence draws(make_stream(8, 0, Purpose::synthetic));
  std::vector<stats::MixedClient> clients;
  for (const Index rows : {1, 1000, 2, 700, 5, 8, 900, 20, 30, 1, 500, 12, 4, 1000}) {
    const double z = 6 * draws.normal(), beds = std::round(100 + 700 * draws.uniform());
    stats::MixedClient client{Eigen::MatrixXd(rows, 2), Eigen::MatrixXd::Ones(rows, 1), Eigen::VectorXd(rows)};
    for (Index r = 0; r < rows; ++r) {
      const double dose = 60 + 12 * draws.normal();
      client.y(r) = 120 + 0.01 * beds + 0.5 * dose + z + 3 * draws.normal();
      client.fixed.row(r) << dose, beds;
      file << fmt::format("h{},{},{},{}\n", clients.size() + 10, dose, beds, client.y(r));
    }
    clients.push_back(client);
  }
  file.close();
  expect_likelihood(fit("kind = \"mixed-gaussian\"", "y", {"run.iterations=1000", "run.chains=2"}), clients);
}

// Clients that do not differ: the likelihood is highest where the spread between them is 0, so that what is known of
// the others is what a regression without clients knows. Bread yields in grams, centred within each oven.
TEST_F(MixedDefaults, ClientsThatDoNotDiffer) {
  std::ofstream file(path_);
  file << "oven,minutes,grams\n";
  Sequence draws(make_stream(23, 0, Purpose::synthetic));
  Eigen::MatrixXd x(60, 2);
  Eigen::VectorXd y(60);
  for (Index oven = 0; oven < 6; ++oven) {
    Eigen::VectorXd error(10);
    for (double& e : error) e = 40 * draws.normal();
    error.array() -= error.mean();
    for (Index r = 0; r < 10; ++r) {
      const Index row = 10 * oven + r;
      x.row(row) << 1, 30 + static_cast<double>(r);
      y(row) = 1500 - 4 * x(row, 1) + error(r);
      file << fmt::format("o{},{},{}\n", oven, x(row, 1), y(row));
    }
  }
  file.close();
  for (const char* random : {"random = [\"intercept\"]", "random = [\"intercept\", \"minutes\"]"}) {
    experiment_ = std::make_unique<Experiment>(read_config_text(
        fmt::format("[model]\nkind = \"mixed-gaussian\"\n{}\n[data]\nsource = \"{}\"\ntarget = \"grams\"\n"
                    "partition = \"by-column\"\ncolumn = \"oven\"\ntest_fraction = 0.0\n",
                    random, path_),
        "test.toml", {"run.iterations=500", "population.sd_start=1e-5"}));  // where long runs end
    experiment_->prepare();
    Sink nobody;
    experiment_->advance(500, nobody);
    const Estimates found = experiment_->personal()->estimates();
    const Eigen::MatrixXd inverse = (x.transpose() * x).inverse();
    const Eigen::VectorXd exact = inverse * x.transpose() * y;
    const double noise = std::sqrt((y - x * exact).squaredNorm() / 60);
    for (std::size_t j = 0; j < experiment_->labels().size(); ++j) {
      const std::string label = experiment_->labels()[j];
      const bool slope = label.find("minutes") != std::string::npos;
      if (label.starts_with("log_sd")) {
        EXPECT_TRUE(std::isnan(found.se(j))) << random << ' ' << label;
        continue;
      }
      const double se = label == "log_sigma" ? std::sqrt(0.5 / 60) : noise * std::sqrt(inverse(slope, slope));
      EXPECT_NEAR(found.value[j], label == "log_sigma" ? std::log(noise) : exact(slope), 0.1 * se) << random << label;
      EXPECT_NEAR(found.se(j), se, 0.05 * se) << random << ' ' << label;
    }
  }
}

// Population keys are in the units of the data, whatever happens to the columns inside.
TEST_F(MixedDefaults, APriorOfTheMeanIsInTheUnitsOfTheData) {
  write_reactions(path_, 1);
  std::vector<double> found;
  for (const char* how : {"data.standardize=false", "data.standardize=true"}) {
    fit("kind = \"mixed-gaussian\"\nrandom = [\"day\"]", "reaction",
        {"run.iterations=1000", "population.mean_prior_sd=0.5", how});
    const std::vector<std::string> labels = experiment_->labels();
    const auto at = static_cast<std::size_t>(std::ranges::find(labels, "mu[day]") - labels.begin());
    found.push_back(experiment_->personal()->averaged().column(0)[at]);
  }
  EXPECT_NEAR(found[1], found[0], 0.1 * std::abs(found[0]));
}

TEST_F(MixedDefaults, BoundsOfThePopulationAreInTheUnitsOfTheData) {
  write_reactions(path_, 2);
  const Estimates found = fit("kind = \"mixed-gaussian\"\nrandom = [\"intercept\", \"day\"]", "reaction",
                              {"run.iterations=100", "population.least_sd=100"});
  EXPECT_NEAR(found.value[4], std::log(100.0), 1e-9);  // the intercept's
  EXPECT_NEAR(found.value[5], std::log(100.0), 1e-9);  // the day's
}

TEST_F(MixedDefaults, AFixedColumnMayHaveTheNameOfASpread) {
  write_reactions(path_, 2, "log_sd_age");
  const Estimates found =
      fit("kind = \"mixed-gaussian\"\nrandom = [\"intercept\", \"day\"]", "reaction", {"run.iterations=400"});
  EXPECT_TRUE(found.held.empty()) << found.why;
  EXPECT_GT(found.se(0), 0);
}

// A run that is stopped during burn-in leaves where it was, from which `pollen predict` starts.
TEST_F(MixedDefaults, DuringBurnInTheAverageIsThePosition) {
  write_reactions(path_, 2);
  start("kind = \"mixed-gaussian\"\nrandom = [\"intercept\", \"day\"]", "reaction", {"run.iterations=1000"});
  Sink nobody;
  experiment_->advance(30, nobody);
  const PersonalResults& personal = *experiment_->personal();
  const Panel learnt = personal.learnt(), averaged = personal.averaged();
  for (Index c = 0; c < learnt.columns(); ++c) EXPECT_TRUE(std::ranges::equal(learnt.column(c), averaged.column(c)));
  EXPECT_GT(averaged.column(0)[2], 100);  // the mean of the reaction times
}

TEST_F(MixedDefaults, CompressedAndPartialRoundsSettleToo) {
  const auto clients = write_reactions(path_, 2);
  const Estimates found = fit(
      "kind = \"mixed-gaussian\"\nrandom = [\"intercept\", \"day\"]", "reaction",
      {"run.iterations=4000", "participation.policy=fixed-size", "participation.size=9", "sampler.compressor=qsgd"});
  const Eigen::VectorXd exact = in_order(stats::mixed_mle(
      clients, {Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(2), Eigen::VectorXd::Constant(2, 3), 3}));
  for (Index j = 0; j < exact.size(); ++j)
    EXPECT_NEAR(found.value[static_cast<std::size_t>(j)], exact(j), 0.3 * found.se(static_cast<std::size_t>(j))) << j;
}

// Yes/no answers of 80 persons to 12 items each, with a column of the items and one of the persons.
struct Answers {
  struct Row {
    double item, age;
    bool yes;
  };
  std::vector<std::vector<Row>> persons;

  explicit Answers(const std::string& path) {
    std::ofstream file(path);
    file << "who,item,age,y\n";
    Sequence draws(make_stream(6, 0, Purpose::synthetic));
    for (int i = 0; i < 80; ++i) {
      const double z = 1.5 * draws.normal(), age = std::round(30 + 6 * draws.normal());
      persons.emplace_back();
      for (int r = 0; r < 12; ++r) {
        const double item = 10 * (r % 4), eta = 0.3 - 0.08 * item + 0.05 * (age - 30) + z;
        persons.back().push_back({item, age, draws.uniform() < 1 / (1 + std::exp(-eta))});
        file << fmt::format("p{},{},{},{}\n", i + 100, item, age, persons.back().back().yes ? "yes" : "no");
      }
    }
  }

  // The log-likelihood at (item, age, μ, log σ_z), by the trapezoidal rule over ±8 standard deviations.
  double log_likelihood(const std::vector<double>& x) const {
    constexpr int kNodes = 160;
    double total = 0;
    for (const auto& rows : persons) {
      double sum = 0;
      for (int n = 0; n <= kNodes; ++n) {
        const double u = -8 + 16.0 * n / kNodes, z = x[2] + std::exp(x[3]) * u;
        double log_p = -0.5 * u * u;
        for (const Row& row : rows) {
          const double eta = x[0] * row.item + x[1] * row.age + z;
          log_p -= std::log1p(std::exp(row.yes ? -eta : eta));
        }
        sum += std::exp(log_p);
      }
      total += std::log(sum * 16.0 / kNodes);
    }
    return total;
  }
};

// The Newton step from the estimate to the maximum of the likelihood is at most a tenth of a standard error.
TEST_F(MixedDefaults, FedsoulFindsTheMaximumLikelihoodOfAnswers) {
  const Answers answers(path_);
  const Estimates found = fit("kind = \"mixed-logistic\"", "y", {"run.iterations=1200", "run.chains=3"});
  ASSERT_EQ(found.value.size(), 4U);
  ASSERT_FALSE(found.covariance.empty()) << found.why;
  Eigen::Vector4d slope;
  Eigen::Matrix4d information;
  const auto at = [&](const Eigen::Vector4d& moved) {
    std::vector<double> x = found.value;
    for (std::size_t j = 0; j < 4; ++j) x[j] += moved(static_cast<Index>(j)) * found.se(j);
    return answers.log_likelihood(x);
  };
  constexpr double h = 0.05;  // in standard errors, which are also the units of all that follows
  const double here = at(Eigen::Vector4d::Zero());
  for (Index j = 0; j < 4; ++j) {
    const Eigen::Vector4d a = h * Eigen::Vector4d::Unit(j);
    slope(j) = (at(a) - at(-a)) / (2 * h);
    information(j, j) = (2 * here - at(a) - at(-a)) / (h * h);
    for (Index k = 0; k < j; ++k) {
      const Eigen::Vector4d b = h * Eigen::Vector4d::Unit(k);
      information(j, k) = information(k, j) = (at(a - b) + at(b - a) - at(a + b) - at(-a - b)) / (4 * h * h);
    }
  }
  const Eigen::Matrix4d covariance = information.inverse();
  const Eigen::Vector4d step = covariance * slope;
  for (Index j = 0; j < 4; ++j) {
    EXPECT_LT(std::abs(step(j)), 0.1) << j;
    EXPECT_NEAR(std::sqrt(covariance(j, j)), 1, 0.1) << j;
  }
}

// Random columns are scaled and keep their origin; fixed columns are also centred.
TEST_F(MixedDefaults, RandomColumnsAreNotCentred) {
  write_reactions(path_, 2);
  fit("kind = \"mixed-gaussian\"\nrandom = [\"intercept\", \"day\"]", "reaction", {"run.iterations=4", "run.chains=1"});
  const Federation& data = experiment_->data();
  ASSERT_EQ(data.feature_names, (std::vector<std::string>{"intercept", "day", "age"}));
  EXPECT_EQ(data.scaling.mean[0], 0);
  EXPECT_NEAR(data.scaling.sd[0], std::sqrt(8.25), 1e-12);
  EXPECT_NEAR(data.scaling.mean[1], 40, 10);
  EXPECT_EQ(data.train.view().row(0)[1], 0);  // day 0
}

// The linear predictor is the same number in both units, and a covariance follows the map.
TEST(MixedUnits, KeepsThePredictorAndTransformsACovariance) {
  const std::vector<MixedUnits::Coordinate> coordinates = {{"a"},      {}, {"intercept"}, {"b"}, {"intercept", true},
                                                           {"b", true}};
  const MixedUnits units(coordinates, {"intercept", "b", "a"}, {{0, 40}, {3, 8}});
  const std::vector<double> own = {1.5, -0.3, 2, 0.7, 0.1, -0.4};
  std::vector<double> x = own;
  units.to_data(x);
  const double a = 52, b = 5;
  EXPECT_NEAR(own[0] * (a - 40) / 8 + own[2] + own[3] * b / 3, x[0] * a + x[2] + x[3] * b, 1e-12);
  EXPECT_EQ(x[1], own[1]);
  EXPECT_EQ(x[4], own[4]);
  EXPECT_NEAR(std::exp(x[5]), std::exp(own[5]) / 3, 1e-12);
  Panel covariance(6, 6);
  for (Index j = 0; j < 6; ++j) covariance.column(j)[static_cast<std::size_t>(j)] = 1 + static_cast<double>(j);
  units.covariance_to_data(covariance);
  EXPECT_NEAR(covariance.column(0)[0], 1.0 / 64, 1e-12);
  EXPECT_NEAR(covariance.column(2)[2], 3 + 25.0, 1e-12);  // the intercept's, and (40/8)² times φ's
  EXPECT_NEAR(covariance.column(0)[2], -5.0 / 8, 1e-12);
  EXPECT_EQ(covariance.column(2)[0], covariance.column(0)[2]);
  units.from_data(x);
  for (std::size_t j = 0; j < x.size(); ++j) EXPECT_NEAR(x[j], own[j], 1e-12);
}

// A column that tells the classes apart, or a level whose rows are all "yes", has no estimate, which is found before
// the first round; with a prior it has one.
TEST_F(MixedDefaults, SeparationIsNamedBeforeTheFirstRound) {
  for (const bool level : {true, false}) {
    std::ofstream file(path_);
    file << "who,x,kind,y\n";
    Sequence draws(make_stream(5, 0, Purpose::synthetic));
    for (int i = 0; i < 240; ++i) {
      const double x = draws.normal(), u = draws.uniform();
      const bool often = draws.uniform() < 1 / (1 + std::exp(-0.7 * x)), yes = level ? u < 0.1 || often : x > 0;
      file << fmt::format("c{},{:.4f},{},{}\n", i % 20, x, u < 0.1 ? "c" : u < 0.5 ? "b" : "a", yes ? "yes" : "no");
    }
    file.close();
    try {
      start("kind = \"mixed-logistic\"", "y", {});
      ADD_FAILURE() << "coefficients without a maximum were accepted";
    } catch (const ConfigError& error) {
      const std::string what = error.what();
      EXPECT_NE(
          what.find(fmt::format("(separation), so that the likelihood has no maximum in {}", level ? "kind=c;" : "x")),
          std::string::npos)
          << what;
      EXPECT_NE(what.find("accepted: model.prior_sd"), std::string::npos) << what;
    }
    EXPECT_NO_THROW(start("kind = \"mixed-logistic\"\nprior_sd = 2.5", "y", {}));
  }
}

}  // namespace
}  // namespace pollen
