// The energy-based population: gradients, the estimate of the constant's gradient against quadrature, and two groups of
// clients that a normal population cannot tell apart.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include "fedsouk.h"

namespace pollen {
namespace {

using testing::carry_over;
using testing::make_fedsouk;
using testing::slope;
using testing::start_at;

// Random intercepts alone, noise of sd 0.5; client i has `rows` rows around ±centre.
struct Groups {
  std::unique_ptr<testing::MixedTables> tables = std::make_unique<testing::MixedTables>();
  PersonalProblem problem;

  Groups(Index clients, std::size_t rows, double centre, const Population& population, Index chains) {
    MixedSpec& spec = tables->spec;
    spec.kind = MixedKind::gaussian;
    spec.latent = 1;
    spec.noise_sd = 0.5;
    spec.random = {"intercept"};
    Sequence draws(make_stream(8, 0, Purpose::synthetic));
    for (Index i = 0; i < clients; ++i) {
      tables->fixed.emplace_back();
      tables->random.emplace_back(rows * 8, 0.0);
      for (std::size_t r = 0; r < rows; ++r) tables->random.back()[r * 8] = 1;
      const double z = (i % 2 == 0 ? centre : -centre) + 0.1 * draws.normal();
      tables->y.emplace_back();
      for (std::size_t r = 0; r < rows; ++r) tables->y.back().push_back(z + 0.5 * draws.normal());
    }
    for (std::size_t i = 0; i < tables->y.size(); ++i) tables->potentials.push_back(make_mixed(spec, tables->rows(i)));
    problem.clients = PersonalClients(tables->pointers());
    problem.population = &population;
    problem.chains = chains;
    problem.seed = 4;
  }
};

TEST(EnergyPopulation, ScoreAndGradientAreThoseOfTheEnergy) {
  const auto population = make_energy_population({.units = 3, .scale = 1.5}, 2);
  std::vector<double> beta = population->start(), score(beta.size(), 0.0);
  for (std::size_t j = 0; j < 3; ++j) beta[j] = 0.7 - 0.5 * static_cast<double>(j);
  std::array<double, 2> z{0.4, -1.2}, g{};
  population->value(beta, z, g);
  population->add_score(beta, z, score);
  const auto value = [&] {
    std::array<double, 2> ignored{};
    return population->value(beta, z, ignored);
  };
  for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(g[j], slope(z[j], value), 1e-7);
  for (std::size_t j = 0; j < beta.size(); ++j) EXPECT_NEAR(score[j], -slope(beta[j], value), 1e-7) << j;
  EXPECT_EQ(population->labels({"a", "b"}).size(), beta.size());
  std::array<double, 2> ahead{z[0] + 1e-4, z[1]}, there{};
  population->value(beta, ahead, there);
  EXPECT_LE(std::abs(there[0] - g[0]) / 1e-4, population->curvature(beta));
}

// E of the score under exp(-E(z; β) - U(z)), by the trapezoid rule.
std::vector<double> mean_score(const Population& population, const std::vector<double>& beta,
                               const std::function<double(double)>& potential) {
  std::vector<double> sum(beta.size(), 0.0);
  double total = 0;
  for (int n = -4000; n <= 4000; ++n) {
    std::array<double, 1> z{0.002 * n}, g{};
    const double weight = std::exp(-population.value(beta, z, g) - potential(z[0]));
    std::vector<double> score(beta.size(), 0.0);
    population.add_score(beta, z, score);
    total += weight;
    for (std::size_t j = 0; j < beta.size(); ++j) sum[j] += weight * score[j];
  }
  for (double& x : sum) x /= total;
  return sum;
}

TEST(EnergyPopulation, TheMeanOfWhatTheServerAddsIsTheGradient) {
  const auto population = make_energy_population({.units = 2, .scale = 1.2}, 1);
  constexpr Index chains = 48;
  const Groups groups(4, 3, 1.0, *population, chains);
  std::vector<double> beta = population->start();
  beta[0] = 1.5;
  beta[1] = -0.8;
  std::vector<double> expected(beta.size(), 0.0);
  const std::vector<double> prior = mean_score(*population, beta, [](double) { return 0.0; });
  for (const auto& y : groups.tables->y) {
    const auto posterior = mean_score(*population, beta, [&](double z) {
      double u = 0;
      for (const double row : y) u += 0.5 * (row - z) * (row - z) / 0.25;
      return u;
    });
    for (std::size_t j = 0; j < beta.size(); ++j) expected[j] += posterior[j] - prior[j];
  }
  PersonalSettings settings{.kernel = LocalKernel::mala, .local_steps = 4};
  settings.population_step = 1e-9;
  settings.particles = 4;
  const auto engine = make_fedsouk(groups.problem, settings);
  start_at(*engine, beta, chains);
  constexpr int rounds = 2000;
  for (int k = 0; k < 100; ++k) engine->advance(1);
  std::vector<std::vector<double>> before;
  for (Index c = 0; c < chains; ++c) {
    const auto at = engine->position().column(c);
    before.emplace_back(at.begin(), at.end());
  }
  for (int k = 0; k < rounds; ++k) engine->advance(1);
  double apart = 0;
  for (std::size_t j = 0; j < beta.size(); ++j) {
    double mean = 0, squares = 0;
    for (Index c = 0; c < chains; ++c) {
      const double x = (engine->position().column(c)[j] - before[static_cast<std::size_t>(c)][j]) / (1e-9 * rounds);
      mean += x / chains;
      squares += x * x / chains;
    }
    const double error = std::sqrt((squares - mean * mean) / (chains - 1));
    EXPECT_NEAR(mean, expected[j], 4 * error) << j;
    apart = std::max(apart, std::abs(4 * prior[j]) / error);
  }
  EXPECT_GT(apart, 10) << "without the constant's gradient it would pass";
}

TEST(EnergyPopulation, SeesTwoGroups) {
  const auto population = make_energy_population({.units = 4, .scale = 1.5}, 1);
  const Groups groups(40, 4, 1.5, *population, 2);
  PersonalSettings settings{.kernel = LocalKernel::hmc, .local_steps = 3, .averaged_from = 1500};
  const auto engine = make_fedsouk(groups.problem, settings);
  start_at(*engine, population->start(), 2);
  for (int k = 0; k < 3000; ++k) engine->advance(1);
  for (Index c = 0; c < 2; ++c) {
    const auto energy = [&](double at) {
      std::array<double, 1> z{at}, g{};
      return population->value(engine->position().column(c), z, g);
    };
    EXPECT_GT(energy(0), energy(1.5) + 0.7);  // a normal population at 0 would have its maximum there
    EXPECT_GT(energy(0), energy(-1.5) + 0.7);
    EXPECT_GT(energy(4), energy(1.5));
  }
}

TEST(EnergyPopulation, GoesOnFromItsArchive) {
  const auto population = make_energy_population({.units = 2, .scale = 1}, 1);
  const Groups groups(5, 3, 1.0, *population, 2);
  const PersonalSettings settings{.local_steps = 2, .particles = 3};
  const auto through = make_fedsouk(groups.problem, settings), before = make_fedsouk(groups.problem, settings),
             after = make_fedsouk(groups.problem, settings);
  start_at(*through, population->start(), 2);
  start_at(*before, population->start(), 2);
  for (int k = 0; k < 20; ++k) through->advance(1);
  for (int k = 0; k < 7; ++k) before->advance(1);
  carry_over(*before, *after);
  for (int k = 7; k < 20; ++k) after->advance(1);
  for (Index c = 0; c < 2; ++c)
    EXPECT_TRUE(std::ranges::equal(through->position().column(c), after->position().column(c)));
}

}  // namespace
}  // namespace pollen
