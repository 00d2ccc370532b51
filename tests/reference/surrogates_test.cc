// Tests the competitors that describe each client's part by a Gaussian: consensus Monte Carlo and FSGLD.
#include "reference/surrogates.h"

#include <Eigen/Dense>
#include <cmath>

#include "support.h"

namespace pollen::reference {
namespace {

constexpr Index kChains = 8;

// Each seed has its own weights, so the independent runs are the seeds and not the chains.
laws::Estimate over_seeds(const char* name, const Federated& on, const ReferenceSettings& settings,
                          double temperature) {
  laws::Moments moments(target_of(on).mean);
  for (std::uint64_t seed = 1; seed <= 64; ++seed) {
    const ReferenceProblem problem = on.problem(kChains, seed, temperature);
    const auto engine = started(name, problem, settings);
    while (engine->iteration() < settings.warm_up + 150) {
      engine->advance(1);
      if (!engine->emits()) continue;
      for (Index c = 0; c < kChains; ++c) {
        const auto column = engine->position().column(c);
        moments.add(static_cast<Eigen::Index>(seed - 1),
                    Eigen::Map<const Eigen::VectorXd>(column.data(), on.dimension));
      }
    }
  }
  return moments.estimate();
}

TEST(Consensus, IsExactForGaussians) {
  // Slightly wrong weights cost a little variance, of second order. Chains that mix slowly therefore need a longer
  // warm-up.
  const struct {
    const char* kernel;
    std::int64_t warm_up;
    double temperature;
  } cases[] = {{"nuts", 600, 1}, {"mala", 4000, 0.5}};
  const Federated on = matrices();
  for (const auto& one : cases) {
    const ReferenceSettings settings{.warm_up = one.warm_up, .local_kernel = one.kernel};
    const laws::Estimate found = over_seeds("consensus", on, settings, one.temperature);
    expect_law(found, target_of(on, one.temperature));
    EXPECT_LT(found.covariance_error.diagonal().maxCoeff(), 0.01);
  }
}

// Weights from variances alone are a different method: with correlated clients the result is not the posterior.
TEST(Consensus, DiagonalWeightsAreBiased) {
  const Federated on = regression();
  const ReferenceSettings full{.warm_up = 2000, .local_kernel = "mala"};
  ReferenceSettings diagonal = full;
  diagonal.diagonal = true;
  expect_law(over_seeds("consensus", on, full, 1), target_of(on));
  EXPECT_GT(laws::distance(over_seeds("consensus", on, diagonal, 1), target_of(on)), kTellApart);
}

Eigen::MatrixXd matrix(const Symmetric& from, Eigen::Index d) {
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(d, d);
  for (Eigen::Index i = 0; i < d; ++i)
    for (Eigen::Index j = 0; j < d; ++j)
      if (!from.diagonal() || i == j) out(i, j) = from.at(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
  return out;
}

Eigen::VectorXd vector(const std::vector<double>& from) {
  return Eigen::Map<const Eigen::VectorXd>(from.data(), std::ssize(from));
}

// Returns the exact law with one step per visit, for any surrogates. Without surrogates it is distributed SGLD, θ ← θ -
// γ(∇U_0 + ∇U_s/f_s) + noise.
stats::Law visiting_law(const Federated& on, double step, const Surrogates* surrogates = nullptr) {
  const Eigen::Index d = on.dimension;
  const Eigen::MatrixXd prior = on.exact.prior_precision.asDiagonal();
  double rows = 0;
  for (const auto& client : on.exact.clients) rows += static_cast<double>(client.terms.size());
  stats::Phase phase{{}, 2 * step * Eigen::MatrixXd::Identity(d, d)};
  for (const auto& client : on.exact.clients) {
    const double frequency = static_cast<double>(client.terms.size()) / rows;
    Eigen::MatrixXd curvature = prior;
    Eigen::VectorXd shift = Eigen::VectorXd::Zero(d);
    for (const auto& term : client.terms) {
      curvature += term.curvature / frequency;
      shift += term.shift / frequency;
    }
    if (surrogates != nullptr) {
      const Surrogate& own = surrogates->own[phase.outcomes.size()];
      curvature += matrix(surrogates->all.precision, d) - matrix(own.precision, d) / frequency;
      shift += vector(surrogates->all.shift) - vector(own.shift) / frequency;
    }
    phase.outcomes.push_back({frequency, Eigen::MatrixXd::Identity(d, d) - step * curvature, step * shift});
  }
  return stats::stationary({phase})[0];
}

Sampled visiting(const Federated& on, const ReferenceSettings& settings, std::int64_t iterations) {
  const ReferenceProblem problem = on.problem(128);
  const auto engine = started("fsgld", problem, settings);
  return run(*engine, on, {std::max<std::int64_t>(settings.warm_up, 500), iterations});
}

TEST(Fsgld, WithoutSurrogatesHasTheLawOfDistributedSgld) {
  const Federated on = regression();
  const Sampled result = visiting(on, {.step = 0.02, .warm_up = 0, .local_steps = 1}, 6000);
  expect_law(result.only(), visiting_law(on, 0.02));
  stats::GradientLawOptions plain;
  plain.step = 0.02;
  EXPECT_GT(laws::distance(result.only(), gradient_family_law(on.exact, plain)[0]), kTellApart);
}

// With fitting surrogates the drift is ∇U whichever client is visited, so the law is ULA's, even with long visits.
TEST(Fsgld, SurrogatesTakeTheVisitsNoiseAway) {
  const Federated on = regression();
  stats::GradientLawOptions plain;
  plain.step = 0.02;
  const stats::Law ula = gradient_family_law(on.exact, plain)[0];
  for (const Index visit : {1, 5}) {
    const Sampled result = visiting(on, {.step = 0.02, .warm_up = 2000, .local_steps = visit}, 4000);
    expect_law(result.only(), ula);
    EXPECT_GT(laws::distance(result.only(), visiting_law(on, 0.02)), kTellApart);
  }
}

// Returns what a run's fit finds after `steps` of descent, the second half of them collected.
std::vector<Surrogates> swag(const Federated& on, const ReferenceSettings& settings, Index count, int steps) {
  Chains chains(on.problem(count));
  const auto fit = make_swag_fit(chains, settings);
  fit->start(chains);
  for (; chains.iteration < steps; ++chains.iteration) {
    fit->iterate(chains);
    if (chains.iteration >= steps / 2) fit->collect();
  }
  return fit->take(chains);
}

TEST(Swag, IsNearTheModeOfAClientsPart) {
  const Federated on = matrices();
  ReferenceSettings settings{.step = 0.02, .local_steps = 1, .swag_least_sd = 0.25};
  const std::vector<Surrogates> found = swag(on, settings, 2, 2000);
  ASSERT_EQ(found.size(), 2U);  // one per chain
  for (std::size_t i = 0; i < on.exact.clients.size(); ++i) {
    const auto& term = on.exact.clients[i].terms.at(0);
    const Eigen::MatrixXd prior = on.exact.prior_precision.asDiagonal();
    const Eigen::VectorXd mode = (term.curvature + prior / 3).llt().solve(term.shift);
    const Surrogate& own = found[1].own[i];
    // A descent that has come to rest has no spread, so the least sd applies.
    for (Eigen::Index j = 0; j < 3; ++j) {
      const auto at = static_cast<std::size_t>(j);
      EXPECT_DOUBLE_EQ(own.precision.at(at, at), 16);
      EXPECT_NEAR(own.shift[at] / 16, mode(j), 1e-6);
    }
  }
  // By default the variance is at least √(Kγ/p)/f_s, here with K = 1 and p = 1/4 for the second coordinate.
  settings.swag_least_sd.reset();
  EXPECT_NEAR(swag(on, settings, 1, 2000)[0].own[2].precision.at(1, 1), 1 / (3 * std::sqrt(0.02 * 4)), 1e-9);
}

// With one row per step, y ← y - (η/f)(4 ∇U_0j + f ∇U_0) has an exact law, whose moments the surrogate takes.
TEST(Swag, SpreadsAsTheDescentDoes) {
  const Federated on = regression();
  ReferenceSettings settings{.step = 0.02, .local_steps = 1, .swag_rate = 0.03, .swag_least_sd = 1e-6};
  settings.batch.count = 1;
  const Surrogate found = swag(on, settings, 1, 400000)[0].own[0];
  const Eigen::MatrixXd prior = on.exact.prior_precision.asDiagonal(), one = Eigen::MatrixXd::Identity(2, 2);
  stats::Phase phase{{}, Eigen::MatrixXd::Zero(2, 2)};
  for (const auto& term : on.exact.clients[0].terms)
    phase.outcomes.push_back({0.25, one - 0.03 * (10 * term.curvature + prior), 0.03 * 10 * term.shift});
  const stats::Law law = stats::stationary({phase})[0];
  // The 200,000 states have an autocorrelation time of at most 2/(η λ_min/f) ≈ 50, so about 4,000 are independent. The
  // tolerance is four sigmas.
  for (std::size_t j = 0; j < 2; ++j) {
    const auto at = static_cast<Eigen::Index>(j);
    const double variance = 1 / found.precision.at(j, j);
    EXPECT_NEAR(found.shift[j] * variance, law.mean(at), 4 * std::sqrt(law.covariance(at, at) / 4000));
    EXPECT_NEAR(variance / law.covariance(at, at), 1, 4 * std::sqrt(2.0 / 4000));
  }
}

// Surrogates that do not fit cost a known variance and nothing else.
TEST(Fsgld, HasTheLawOfItsSwagSurrogates) {
  const Federated on = regression();
  const ReferenceSettings settings{.step = 0.02, .warm_up = 400, .local_steps = 1, .surrogate = "swag"};
  const Surrogates found = swag(on, settings, 1, 200)[0];
  const stats::Law law = visiting_law(on, 0.02, &found);
  EXPECT_LT((law.mean - target_of(on).mean).norm(), 1e-9);
  const Sampled result = visiting(on, settings, 6000);
  expect_law(result.only(), law);
  EXPECT_GT(laws::distance(result.only(), visiting_law(on, 0.02)), kTellApart);
}

// With minibatches every chain has its own surrogates, and with any of them the mean is the posterior's.
TEST(Fsgld, NoisySwagSurrogatesKeepTheMean) {
  const Federated on = regression();
  ReferenceSettings settings{.step = 0.01, .warm_up = 400, .local_steps = 1, .surrogate = "swag"};
  settings.batch.count = 2;
  const Sampled result = visiting(on, settings, 20000);
  const Eigen::VectorXd off = result.only().mean - target_of(on).mean;
  for (Eigen::Index j = 0; j < off.size(); ++j) EXPECT_LT(std::abs(off(j)), kAgree * result.only().mean_error(j));
}

}  // namespace
}  // namespace pollen::reference
