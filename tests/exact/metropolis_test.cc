// Samplers with a Metropolis test or its kin have no bias: exact moments of a Gaussian, whatever the step.
#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "exact/adaptation.h"
#include "exact/engines.h"

namespace pollen::exact {
namespace {

struct Case {
  const char* name;
  const char* sampler;
  Settings settings;
  std::int64_t iterations;
  double temperature = 1;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

const std::vector<Case> kCases = {
    {"mala", "mala", {.warm_up = 400}, 4000},
    {"mala_hot", "mala", {.warm_up = 400}, 4000, 2.5},
    {"mala_fixed", "mala", {.step = 0.2, .warm_up = 200}, 4000},
    {"hmc", "hmc", {.warm_up = 400}, 1500},
    {"hmc_fixed", "hmc", {.step = 0.35, .warm_up = 100, .leapfrogs = 4}, 2000, 0.5},
    {"hmc_unit_mass", "hmc", {.warm_up = 400, .adapt_mass = false, .jitter = 1}, 1500},
    {"nuts", "nuts", {.warm_up = 400}, 1500},
    {"nuts_hot", "nuts", {.warm_up = 400}, 1500, 2.5},
    {"nuts_fixed_coarse", "nuts", {.step = 0.75, .warm_up = 100}, 2000},
    {"nuts_fixed_fine_shallow", "nuts", {.step = 0.1, .warm_up = 200, .max_depth = 2}, 3000},
};

class Metropolis : public ::testing::TestWithParam<Case> {};

TEST_P(Metropolis, MomentsOfAGaussian) {
  const Case& one = GetParam();
  const Federated on = matrices();
  const ReferenceProblem problem = on.problem(64, 11, one.temperature);
  const auto engine = started(one.sampler, problem, one.settings, 0.5);
  const Sampled result = run(*engine, on, {one.settings.warm_up, one.iterations});
  expect_law(result.only(), target_of(on, one.temperature));
  const double smallest = result.only().covariance_error.diagonal().minCoeff();
  EXPECT_LT(smallest, 0.02 * one.temperature) << "too few draws to tell anything";
}

INSTANTIATE_TEST_SUITE_P(, Metropolis, ::testing::ValuesIn(kCases), [](const auto& one) { return one.param.name; });

// Returns the textbook acceptance rate of a proposal θ - γ∇U + √(2γ)z from a stationary θ, by plain Monte Carlo with
// other random numbers.
double textbook_acceptance(const stats::Law& law, double step, int draws) {
  const Eigen::MatrixXd precision = law.covariance.inverse(), root = law.covariance.llt().matrixL();
  std::mt19937_64 generator(5);
  std::normal_distribution<double> normal;
  const auto noise = [&] {
    return Eigen::VectorXd::NullaryExpr(law.mean.size(), [&] { return normal(generator); }).eval();
  };
  const auto potential = [&](const Eigen::VectorXd& x) { return 0.5 * x.dot(precision * x); };
  const auto log_proposal = [&](const Eigen::VectorXd& from, const Eigen::VectorXd& to) {
    return -(to - from + step * (precision * from)).squaredNorm() / (4 * step);
  };
  double sum = 0;
  for (int k = 0; k < draws; ++k) {
    const Eigen::VectorXd from = root * noise();
    const Eigen::VectorXd to = from - step * (precision * from) + std::sqrt(2 * step) * noise();
    const double log_ratio = potential(from) - potential(to) + log_proposal(to, from) - log_proposal(from, to);
    sum += std::min(1.0, std::exp(log_ratio)) / draws;
  }
  return sum;
}

TEST(Mala, AcceptsAsOftenAsTheTextbookSays) {
  const Federated on = matrices();
  for (const double step : {0.1, 0.25}) {
    const ReferenceProblem problem = on.problem(64);
    const auto engine = started("mala", problem, {.step = step}, 0.1);
    double sum = 0, square = 0;
    const int draws = 3000;
    std::vector<double> chain(64, 0.0);
    for (int k = 0; k < 200 + draws; ++k) {
      engine->advance(1);
      for (std::size_t c = 0; k >= 200 && c < chain.size(); ++c) {
        chain[c] += engine->transitions()[c].accept / draws;
        EXPECT_NEAR(engine->transitions()[c].step, step, 1e-12);
        EXPECT_EQ(engine->transitions()[c].leapfrogs, 1);
      }
    }
    for (const double a : chain) sum += a / 64;
    for (const double a : chain) square += (a - sum) * (a - sum) / 63 / 64;
    const double expected = textbook_acceptance(target_of(on), step, 2000000);
    EXPECT_LT(std::abs(sum - expected), 4 * std::sqrt(square + 0.1 / 2000000)) << sum << ", not " << expected;
    EXPECT_LT(expected, 0.97) << "the step is too small to tell";
  }
}

// For a known response accept(ε) = exp(-ε) the settled step gives the acceptance asked for.
TEST(Adaptation, DualAveragingSolvesForTheStep) {
  for (const double target : {0.5, 0.8, 0.95}) {
    DualAveraging averaging{.target = target};
    double step = 0.01;
    averaging.restart(step);
    for (int k = 0; k < 2000; ++k) step = averaging.learn(std::exp(-step));
    EXPECT_NEAR(std::exp(-averaging.final_step()), target, 0.005);
  }
}

// The step settles per chain near the acceptance asked for. Hamiltonian trajectories end above it, which is known of
// this scheme: acceptance drops sharply at the largest stable step, and the average of log ε stays short of it.
TEST(Adaptation, ReachesTheAcceptanceAskedFor) {
  const Federated on = matrices();
  const struct {
    const char* name;
    std::optional<double> target;
  } cases[] = {{"mala", {}}, {"mala", 0.8}, {"hmc", {}}, {"nuts", {}}, {"nuts", 0.95}};
  for (const auto& one : cases) {
    const ReferenceProblem problem = on.problem(16);
    const auto engine = started(one.name, problem, {.warm_up = 1000, .target_accept = one.target});
    double sum = 0;
    std::vector<double> steps(16);
    for (int k = 0; k < 2000; ++k) {
      engine->advance(1);
      for (std::size_t c = 0; c < 16 && k >= 1000; ++c) {
        const Transition& t = engine->transitions()[c];
        if (k > 1000) {
          EXPECT_EQ(t.step, steps[c]) << "the step moves after the warm-up";
        }
        steps[c] = t.step;
        sum += t.accept / 16000;
        EXPECT_FALSE(t.divergent);
      }
    }
    const double wanted = one.target.value_or(std::string(one.name) == "mala" ? 0.574 : 0.8);
    EXPECT_GT(sum, wanted - 0.05) << one.name;
    EXPECT_LT(sum, wanted + (wanted == 0.8 ? 0.13 : 0.05)) << one.name;
  }
}

// On a badly scaled Gaussian the mass matrix evens out the scales, so that few leapfrog steps are enough.
TEST(Adaptation, TheMassEvensOutScales) {
  const Federated on = gaussians({{0, 0, 0}}, {{1e-4, 0, 0, 0, 1, 0, 0, 0, 1e4}});
  double leapfrogs[2] = {};
  for (const bool mass : {false, true}) {
    const ReferenceProblem problem = on.problem(8);
    const auto engine = started("nuts", problem, {.warm_up = 600, .adapt_mass = mass}, 0.01);
    for (int k = 0; k < 700; ++k) {
      engine->advance(1);
      for (const Transition& t : engine->transitions()) {
        if (k >= 600) leapfrogs[mass ? 1 : 0] += t.leapfrogs / 800.0;
        EXPECT_LE(t.depth, 10);
        EXPECT_LT(t.leapfrogs, 1 << (t.depth + 1));
      }
    }
  }
  EXPECT_LT(leapfrogs[1], 8);
  EXPECT_GT(leapfrogs[0], 500);
}

// With two scales and a step near the longest stable one, energy errors are large and trajectories bend within few
// states, so a wrong weight, direction or check shows in the moments.
TEST(Nuts, IsRightWhereEnergyErrorsAreLarge) {
  const Federated on = gaussians({{0.5, -1}}, {{4, 0.5, 0.5, 0.5}});
  for (const double step : {0.5, 0.9}) {
    const ReferenceProblem problem = on.problem(64);
    const auto engine = started("nuts", problem, {.step = step, .warm_up = 0});
    expect_law(run(*engine, on, {50, 12000}).only(), target_of(on));
  }
}

// On a round Gaussian all coordinates have one period, and a doubling that jumps over the far side of the orbit looks
// straight at its ends. Without the checks across halves such trajectories run in circles.
TEST(Nuts, DoesNotRunInCircles) {
  std::vector<double> centre(40, 0.0), precision(1600, 0.0);
  for (std::size_t j = 0; j < 40; ++j) precision[41 * j] = 1;
  const Federated on = gaussians({centre}, {precision});
  for (double step = 0.2; step < 1.5; step += 0.05) {
    const ReferenceProblem problem = on.problem(4);
    const auto engine = started("nuts", problem, {.step = step, .warm_up = 0}, 1);
    int longest = 0;
    for (int k = 0; k < 200; ++k) {
      engine->advance(1);
      for (const Transition& t : engine->transitions()) longest = std::max(longest, t.leapfrogs);
    }
    EXPECT_LT(longest * step, 4 * std::acos(-1.0)) << step;
  }
}

// If the leapfrog is unstable, every trajectory diverges and is reported, and the chain stays finite.
TEST(Nuts, ReportsDivergence) {
  const Federated on = matrices();
  const ReferenceProblem problem = on.problem(4);
  for (const char* name : {"nuts", "hmc"}) {
    const auto engine = started(name, problem, {.step = 50.0, .warm_up = 0, .leapfrogs = 10}, 0.5);
    engine->advance(1);
    for (const Transition& t : engine->transitions()) {
      EXPECT_TRUE(t.divergent) << name;
      EXPECT_LT(t.accept, 1e-6);
    }
    EXPECT_EQ(engine->position().column(0)[0], 0.5);
  }
}

}  // namespace
}  // namespace pollen::exact
