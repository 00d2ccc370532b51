// Simulation-based calibration (Talts et al. 2018): parameters are drawn from the prior, data given the parameters, and
// posterior draws given the data. The rank of the truth among the draws is uniform exactly if the sampler is right. The
// draws are the last states of independent chains, so they are independent. Ranks among 15 draws fall into 16 bins.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <random>

#include "exact/engines.h"

namespace pollen::exact {
namespace {

constexpr Index kChains = 15;
constexpr double kCritical = 44.3;  // quantile of chi-square with 15 degrees of freedom at 1e-4

struct Simulated {
  ModelSpec spec;
  double claimed_sd = 1;  // sd of the prior that the sampler is told; the truth is drawn with 1
  std::vector<int> rows = {6, 9};
};

ModelSpec model(const std::string& kind) {
  ModelSpec spec;
  spec.family = &model_family(kind);
  spec.features = 2;
  if (kind == "linear") spec.noise_sd = 0.7;
  return spec;
}

Federated simulate(const Simulated& experiment, const Eigen::Vector2d& truth, std::mt19937_64& generator) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Federated result;
  result.dimension = 2;
  result.prior = Prior::normal({experiment.claimed_sd, experiment.claimed_sd});
  for (const int count : experiment.rows) {
    std::vector<std::vector<double>> table;
    for (int r = 0; r < count; ++r) {
      const Eigen::Vector2d x(1, 1.5 * normal(generator));
      const double mean = x.dot(truth);
      const double y = experiment.spec.noise_sd                         ? mean + 0.7 * normal(generator)
                       : uniform(generator) < 1 / (1 + std::exp(-mean)) ? 1.0
                                                                        : 0.0;
      table.push_back({x[0], x[1], y});
    }
    result.add_rows(experiment.spec, table);
  }
  return result;
}

// Returns the chi-square of the ranks of each coordinate over `simulations` data sets.
std::array<double, 2> calibrate(const char* sampler, const Settings& settings, const Simulated& experiment,
                                int simulations) {
  std::mt19937_64 generator(99);
  std::normal_distribution<double> normal;
  std::array<std::array<int, kChains + 1>, 2> ranks{};
  for (int s = 0; s < simulations; ++s) {
    const Eigen::Vector2d truth(normal(generator), normal(generator));
    const Federated on = simulate(experiment, truth, generator);
    const ReferenceProblem problem = on.problem(kChains, static_cast<std::uint64_t>(s));
    const auto engine = started(sampler, problem, settings);
    while (engine->iteration() < settings.warm_up + 20) engine->advance(1);
    for (std::size_t j = 0; j < 2; ++j) {
      std::size_t rank = 0;
      for (Index c = 0; c < kChains; ++c) rank += engine->position().column(c)[j] < truth[static_cast<Eigen::Index>(j)];
      ++ranks[j][rank];
    }
  }
  std::array<double, 2> result{};
  const double expected = static_cast<double>(simulations) / (kChains + 1);
  for (std::size_t j = 0; j < 2; ++j)
    for (const int count : ranks[j]) result[j] += (count - expected) * (count - expected) / expected;
  return result;
}

struct Case {
  const char* name;
  const char* sampler;
  const char* kind;
};

class Calibration : public ::testing::TestWithParam<Case> {};

TEST_P(Calibration, RanksAreUniform) {
  const Case& one = GetParam();
  const Settings settings{.warm_up = 100};
  const auto found = calibrate(one.sampler, settings, {model(one.kind)}, 480);
  for (const double chi_square : found) EXPECT_LT(chi_square, kCritical);
  RecordProperty("chi_square", fmt::format("{:.1f} {:.1f}", found[0], found[1]));
}

INSTANTIATE_TEST_SUITE_P(, Calibration,
                         ::testing::Values(Case{"nuts_logistic", "nuts", "logistic"},
                                           Case{"nuts_linear", "nuts", "linear"},
                                           Case{"hmc_logistic", "hmc", "logistic"}, Case{"hmc_linear", "hmc", "linear"},
                                           Case{"mala_logistic", "mala", "logistic"}),
                         [](const auto& one) { return std::string(one.param.name); });

// The test can fail: it detects a sampler that is told a prior with 0.6 of the right spread.
TEST(CalibrationPower, AWrongPriorIsSeen) {
  const auto found = calibrate("hmc", {.warm_up = 100}, {model("logistic"), 0.6}, 480);
  EXPECT_GT(std::max(found[0], found[1]), kCritical);
}

}  // namespace
}  // namespace pollen::exact
