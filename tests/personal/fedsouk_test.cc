// Compares FedSOUK with the exact linear mixed model: the mean of what clients send, the estimate, the limits of a
// narrow and a wide population, and new starts.
#include "fedsouk.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>

#include "stats/mixed_law.h"

namespace pollen {
namespace {

using testing::carry_over;
using testing::make_fedsouk;
using testing::make_mixed_tables;
using testing::MixedTables;
using testing::start_at;
using Shape = NormalPopulation::Shape;

std::vector<stats::MixedClient> exact_clients(const MixedTables& tables) {
  std::vector<stats::MixedClient> out;
  for (std::size_t i = 0; i < tables.y.size(); ++i) {
    const MixedRows rows = tables.rows(i);
    stats::MixedClient client;
    client.fixed.resize(rows.fixed.rows, rows.fixed.columns);
    client.random.resize(rows.random.rows, rows.random.columns);
    client.y.resize(rows.random.rows);
    for (Index r = 0; r < rows.random.rows; ++r) {
      for (Index j = 0; j < rows.fixed.columns; ++j) client.fixed(r, j) = rows.fixed.row(r)[j];
      for (Index j = 0; j < rows.random.columns; ++j) client.random(r, j) = rows.random.row(r)[j];
      client.y(r) = rows.y[r];
    }
    out.push_back(client);
  }
  return out;
}

// Returns (φ, log s, μ, log σ) in the engine's order, with learnt noise and one σ per latent.
std::vector<double> flat(const stats::MixedParameters& p) {
  std::vector<double> out(p.phi.begin(), p.phi.end());
  out.push_back(p.log_noise);
  out.insert(out.end(), p.mean.begin(), p.mean.end());
  out.insert(out.end(), p.log_sd.begin(), p.log_sd.end());
  return out;
}

struct Problem {
  std::unique_ptr<MixedTables> tables;
  std::unique_ptr<Population> population;
  PersonalProblem problem;
};

Problem make_problem(Index clients, Index chains,
                     NormalPopulation how = {.mean = Shape::vector, .spread = Shape::vector}) {
  Problem s;
  s.tables = make_mixed_tables(MixedKind::gaussian, clients, 2, 2, std::nullopt);
  s.population = make_normal_population(how, 2);
  s.problem.clients = PersonalClients(s.tables->pointers());
  s.problem.population = s.population.get();
  s.problem.chains = chains;
  s.problem.seed = 21;
  return s;
}

stats::MixedParameters some_parameters() {
  stats::MixedParameters p;
  for (Eigen::VectorXd* part : {&p.phi, &p.mean, &p.log_sd}) part->resize(2);
  p.phi << 0.2, -0.4;
  p.mean << 0.3, 0.1;
  p.log_sd << -0.2, 0.1;
  p.log_noise = -0.3;
  return p;
}

struct Moments {
  std::vector<double> mean, error;
};

// Returns the mean of what the server adds up over rounds after a start. The steps are so small that φ and β stay.
// Errors are between chains.
Moments mean_message(const Problem& s, PersonalSettings settings, const Recipe& recipe, const std::vector<double>& at,
                     int rounds) {
  settings.shared_step = settings.population_step = 1e-9;
  const auto engine = make_fedsouk(s.problem, settings, recipe);
  const Index chains = s.problem.chains;
  start_at(*engine, at, chains);
  for (int k = 0; k < 100; ++k) engine->advance(1);
  Panel before(engine->position().rows, chains);
  for (Index c = 0; c < chains; ++c) std::ranges::copy(engine->position().column(c), before.column(c).begin());
  for (int k = 0; k < rounds; ++k) engine->advance(1);
  Moments m{std::vector<double>(at.size()), std::vector<double>(at.size())};
  const auto r = static_cast<double>(chains);
  for (std::size_t j = 0; j < at.size(); ++j) {
    double sum = 0, squares = 0;
    for (Index c = 0; c < chains; ++c) {
      const double x = (engine->position().column(c)[j] - before.column(c)[j]) / (1e-9 * rounds);
      sum += x / r;
      squares += x * x / r;
    }
    m.mean[j] = sum;
    m.error[j] = std::sqrt((squares - sum * sum) / (r - 1));
  }
  return m;
}

std::vector<double> expected_message(const Problem& s, const stats::MixedParameters& at, double step) {
  std::vector<double> sum(flat(at).size(), 0.0);
  for (const stats::MixedClient& client : exact_clients(*s.tables)) {
    const std::vector<double> one = flat(stats::langevin_score(client, at, step));
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += one[j];
  }
  return sum;
}

struct Way {
  const char* name;
  LocalKernel kernel;
  double step;
  bool partial = false;
  std::string compressor = "identity";
  bool memory = false;
};

class MeanMessage : public ::testing::TestWithParam<Way> {};

// langevin with a given step has its own stationary law, bias included. The other chains have the posterior's, which is
// Fisher's identity; so have langevin's steps if none is given.
TEST_P(MeanMessage, IsTheStationaryScore) {
  const Way& way = GetParam();
  const Problem s = make_problem(6, 48);
  const PersonalSettings settings{.kernel = way.kernel, .step = way.step, .local_steps = 4, .leapfrogs = 3};
  Recipe recipe;
  recipe.up.compressor = {.kind = way.compressor, .levels = 4, .k = 1};
  recipe.up.memory = way.memory ? Memory::average : Memory::none;
  recipe.up.rate = 0.3;
  if (way.partial) {
    recipe.participation.policy = ParticipationPolicy::fixed_size;
    recipe.participation.size = 3;
  }
  const stats::MixedParameters at = some_parameters();
  const Moments m = mean_message(s, settings, recipe, flat(at), 2500);
  const bool biased = way.kernel == LocalKernel::langevin && way.step > 0;
  const std::vector<double> expected = expected_message(s, at, biased ? way.step : 0);
  const std::vector<double> other = expected_message(s, at, biased ? 0 : 0.03);
  double apart = 0;
  for (std::size_t j = 0; j < expected.size(); ++j) {
    EXPECT_LT(std::abs(m.mean[j] - expected[j]), 4 * m.error[j]) << j << ": " << m.mean[j] << " for " << expected[j];
    apart = std::max(apart, std::abs(other[j] - expected[j]) / m.error[j]);
  }
  EXPECT_GT(apart, 10) << "a wrong law would pass";
}

INSTANTIATE_TEST_SUITE_P(Ways, MeanMessage,
                         ::testing::Values(Way{"langevin", LocalKernel::langevin, 0.06},
                                           Way{"langevin_auto", LocalKernel::langevin, 0},
                                           Way{"mala_auto", LocalKernel::mala, 0}, Way{"hmc_auto", LocalKernel::hmc, 0},
                                           Way{"mala", LocalKernel::mala, 0.08}, Way{"hmc", LocalKernel::hmc, 0.3},
                                           Way{"partial", LocalKernel::langevin, 0.06, true},
                                           Way{"qsgd", LocalKernel::langevin, 0.06, true, "qsgd"},
                                           Way{"memory", LocalKernel::langevin, 0.06, true, "rand-k", true}),
                         [](const ::testing::TestParamInfo<Way>& way) { return way.param.name; });

TEST(Fedsouk, TheEstimateIsTheMaximumLikelihood) {
  const Problem s = make_problem(40, 8);
  PersonalSettings settings{.kernel = LocalKernel::hmc, .local_steps = 5, .averaged_from = 500};
  const auto engine = make_fedsouk(s.problem, settings);
  start_at(*engine, {0, 0, 0, 0, 0, 0, 0}, 8);
  for (int k = 0; k < 4000; ++k) engine->advance(1);
  const std::vector<double> mle = flat(stats::mixed_mle(exact_clients(*s.tables), some_parameters()));
  for (std::size_t j = 0; j < mle.size(); ++j) {
    double mean = 0, squares = 0;
    for (Index c = 0; c < 8; ++c) {
      const double x = engine->average().column(c)[j];
      mean += x / 8;
      squares += x * x / 8;
    }
    const double error = std::sqrt((squares - mean * mean) / 7);
    EXPECT_NEAR(mean, mle[j], 4 * error + 0.01) << j;  // a constant step leaves a bias of its own order
    EXPECT_LT(error, 0.02) << j;
  }
  const double accepted = testing::acceptance(s.problem, settings, engine->average().column(0), 500);
  EXPECT_GT(accepted, 0.6);
  EXPECT_LT(accepted, 1.0);
}

// In the limit σ → 0 every latent is μ, and J is the gradient there.
TEST(Fedsouk, ANarrowPopulationGivesThePooledGradient) {
  const Problem s =
      make_problem(5, 1, {.mean = Shape::fixed, .spread = Shape::fixed, .mean_start = {0.4, -0.2}, .sd_start = {1e-7}});
  PersonalSettings settings{.local_steps = 3, .shared_step = 1e-3};
  const auto engine = make_fedsouk(s.problem, settings);
  const std::vector<double> at{0.2, -0.4, -0.3};
  start_at(*engine, at, 1);
  engine->advance(1);
  std::vector<double> sum(3, 0.0), ignored(2), one(3);
  Scratch scratch;
  for (const auto& client : s.tables->potentials) {
    client->gradient(at, std::vector<double>{0.4, -0.2}, ignored, one, scratch);
    for (std::size_t j = 0; j < 3; ++j) sum[j] -= one[j];
  }
  for (std::size_t j = 0; j < 3; ++j)
    EXPECT_NEAR((engine->position().column(0)[j] - at[j]) / 1e-3, sum[j], 1e-4 * std::abs(sum[j]) + 1e-5);
}

// In the limit σ → ∞, E z_i is the client's own least-squares solution.
TEST(Fedsouk, AWidePopulationGivesEveryClientsLeastSquares) {
  const Problem s =
      make_problem(4, 64, {.mean = Shape::fixed, .spread = Shape::fixed, .mean_start = {0}, .sd_start = {1e4}});
  PersonalSettings settings{.kernel = LocalKernel::hmc, .local_steps = 5, .shared_step = 1e-12};
  settings.warm_start = true;
  const auto engine = make_fedsouk(s.problem, settings);
  const std::vector<double> at{0.2, -0.4, -0.3};
  start_at(*engine, at, 64);
  for (int k = 0; k < 200; ++k) engine->advance(1);
  const auto clients = exact_clients(*s.tables);
  constexpr int rounds = 300;
  for (std::size_t i = 0; i < 4; ++i) {
    const Eigen::VectorXd phi = some_parameters().phi;
    const Eigen::VectorXd left = clients[i].y - clients[i].fixed * phi;
    const Eigen::VectorXd squares = clients[i].random.colPivHouseholderQr().solve(left);
    std::vector<std::array<double, 2>> means(64);
    for (int k = 0; k < rounds; ++k) {
      engine->advance(1);
      for (Index c = 0; c < 64; ++c) {
        const std::vector<double> z = engine->latent(static_cast<Index>(i), c);
        for (std::size_t j = 0; j < 2; ++j) means[static_cast<std::size_t>(c)][j] += z[j] / rounds;
      }
    }
    for (std::size_t j = 0; j < 2; ++j) {
      double sum = 0, square = 0;
      for (const auto& m : means) sum += m[j] / 64, square += m[j] * m[j] / 64;
      const double error = std::sqrt((square - sum * sum) / 63);
      EXPECT_NEAR(sum, squares[static_cast<Index>(j)], 4 * error) << i;
      EXPECT_LT(error, 0.2);
    }
  }
}

// Louis' identity against differences of the exact gradient. With 20,000 draws the second moments of the complete
// data's score, which are within its information, are known to about a hundredth of it.
TEST(Fedsouk, TheObservedInformationIsThatOfTheMarginalLikelihood) {
  const Problem s = make_problem(12, 1);
  const auto engine = make_fedsouk(s.problem, {});
  const stats::MixedParameters at = some_parameters();
  std::vector<double> x = flat(at);
  const Panel found = engine->ask(Query::What::observed, x, 20000, 8);
  const Panel complete = engine->ask(Query::What::pooled, {x.data(), 5}, 1, 7);
  const std::vector<stats::MixedClient> clients = exact_clients(*s.tables);
  const auto gradient = [&] {
    stats::MixedParameters p = at;
    for (int j = 0; j < 2; ++j)
      p.phi(j) = x[static_cast<std::size_t>(j)], p.mean(j) = x[static_cast<std::size_t>(3 + j)],
      p.log_sd(j) = x[static_cast<std::size_t>(5 + j)];
    p.log_noise = x[2];
    return flat(stats::mixed_gradient(clients, p));
  };
  const auto scale = [&](std::size_t j) {  // the root of the information that known latents would give
    if (j < 2) return std::sqrt(complete.column(static_cast<Index>(1 + j))[j]);
    if (j == 2) return std::sqrt(2 * 53.0);
    return std::sqrt(12 * (j < 5 ? std::exp(-2 * x[j + 2]) : 2));
  };
  const std::vector<double> slope = gradient();
  for (std::size_t j = 0; j < 7; ++j) {
    EXPECT_NEAR(found.column(7)[j], slope[j], 0.03 * scale(j)) << j;
    const double here = x[j];
    x[j] = here + 1e-4;
    const std::vector<double> above = gradient();
    x[j] = here - 1e-4;
    const std::vector<double> below = gradient();
    x[j] = here;
    for (std::size_t i = 0; i < 7; ++i)
      EXPECT_NEAR(found.column(static_cast<Index>(j))[i], (below[i] - above[i]) / 2e-4, 0.02 * scale(i) * scale(j))
          << i << ", " << j;
  }
}

TEST(Fedsouk, GoesOnFromItsArchive) {
  for (const LocalKernel kernel : {LocalKernel::langevin, LocalKernel::mala, LocalKernel::hmc}) {
    const Problem s = make_problem(7, 3);
    const PersonalSettings settings{.kernel = kernel, .local_steps = 3, .decay = 0.6};
    Recipe recipe;
    recipe.up.compressor.kind = "qsgd";
    recipe.up.memory = Memory::average;
    recipe.up.rate = 0.5;
    recipe.participation.policy = ParticipationPolicy::bernoulli;
    recipe.participation.probability = {0.4};
    const auto through = make_fedsouk(s.problem, settings, recipe), before = make_fedsouk(s.problem, settings, recipe),
               after = make_fedsouk(s.problem, settings, recipe);
    const std::vector<double> at(7, 0.1);
    start_at(*through, at, 3);
    start_at(*before, at, 3);
    for (int k = 0; k < 20; ++k) through->advance(1);
    for (int k = 0; k < 9; ++k) before->advance(1);
    carry_over(*before, *after);
    for (int k = 9; k < 20; ++k) after->advance(1);
    for (Index c = 0; c < 3; ++c) {
      EXPECT_TRUE(std::ranges::equal(through->position().column(c), after->position().column(c)));
      EXPECT_TRUE(std::ranges::equal(through->average().column(c), after->average().column(c)));
    }
    EXPECT_EQ(through->counters().uplink_bits, after->counters().uplink_bits);
  }
}

// Given steps weigh the average; without them every position since burn-in counts the same.
TEST(Fedsouk, TheAverageIsWeightedByGivenSteps) {
  const Problem s = make_problem(4, 1);
  for (const double step : {0.01, 0.0}) {
    const PersonalSettings settings{
        .local_steps = 2, .population_step = step, .shared_step = step, .decay = 1.0, .averaged_from = 3};
    const auto engine = make_fedsouk(s.problem, settings);
    start_at(*engine, std::vector<double>(7, 0.1), 1);
    std::vector<double> sum(7, 0.0);
    double weight = 0;
    for (int k = 0; k < 12; ++k) {
      engine->advance(1);
      if (k < 3) continue;
      const double share = step > 0 ? 1.0 / (1 + k) : 1;
      weight += share;
      for (std::size_t j = 0; j < 7; ++j) sum[j] += engine->position().column(0)[j] * share;
    }
    for (std::size_t j = 0; j < 7; ++j) EXPECT_NEAR(engine->average().column(0)[j], sum[j] / weight, 1e-12);
  }
}

TEST(Fedsouk, CountsWhatIsSent) {
  const Problem s = make_problem(5, 2);
  const auto engine = make_fedsouk(s.problem, {.local_steps = 2});
  start_at(*engine, std::vector<double>(7, 0.1), 2);
  engine->advance(1);
  EXPECT_EQ(engine->counters().messages, 10);
  EXPECT_EQ(engine->counters().uplink_bits, 10 * 7 * 64);
  EXPECT_EQ(engine->counters().downlink_bits, 10 * 7 * 64);
  EXPECT_EQ(engine->counters().uplink_bits_bound, 10 * 7 * 64);
  Recipe coded;
  coded.up.compressor.kind = "natural";
  const auto other = make_fedsouk(s.problem, {.local_steps = 2}, coded);
  start_at(*other, std::vector<double>(7, 0.1), 2);
  other->advance(1);
  EXPECT_LT(other->counters().uplink_bits, 10 * 7 * 64);
  EXPECT_GE(other->counters().uplink_bits, 10 * 4 * 64);
  EXPECT_TRUE(std::isnan(other->counters().uplink_bits_bound));
}

}  // namespace
}  // namespace pollen
