// Competitors that describe each client's part by a Gaussian: consensus Monte Carlo and FSGLD.
#include <cmath>

#include "support.h"

namespace pollen::centralised {
namespace {

constexpr Index kChains = 8;

// Each seed has weights of its own, so seeds, not chains, are the independent runs.
laws::Estimate over_seeds(const char* name, const Federated& on, const ReferenceSettings& settings,
                          double temperature) {
  laws::Moments moments(target_of(on).mean);
  for (std::uint64_t seed = 1; seed <= 64; ++seed) {
    const ReferenceProblem problem = on.problem(kChains, seed, temperature);
    const auto engine = make_reference(name, problem, settings);
    engine->start(start_at(problem));
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
  // Weights that are a little wrong cost a little variance, of second order: chains that mix slowly need a longer
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

// Weights from variances alone are those of another method: with correlated clients the result is not the posterior.
TEST(Consensus, DiagonalWeightsAreBiased) {
  const Federated on = regression();
  const ReferenceSettings full{.warm_up = 2000, .local_kernel = "mala"};
  ReferenceSettings diagonal = full;
  diagonal.diagonal = true;
  expect_law(over_seeds("consensus", on, full, 1), target_of(on));
  EXPECT_GT(laws::distance(over_seeds("consensus", on, diagonal, 1), target_of(on)), kTellApart);
}

// Without surrogates it is distributed SGLD: θ ← θ - γ(∇U_0 + ∇U_s/f_s) + noise with a client a step, an exact law.
stats::Law visiting_law(const Federated& on, double step) {
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
    phase.outcomes.push_back({frequency, Eigen::MatrixXd::Identity(d, d) - step * curvature, step * shift});
  }
  return stats::stationary({phase})[0];
}

Sampled visiting(const Federated& on, const ReferenceSettings& settings, std::int64_t iterations) {
  const ReferenceProblem problem = on.problem(128);
  const auto engine = make_reference("fsgld", problem, settings);
  engine->start(start_at(problem));
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

// With surrogates that fit, the drift is ∇U whichever client is visited: the law is ULA's, long visits included.
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

}  // namespace
}  // namespace pollen::centralised
