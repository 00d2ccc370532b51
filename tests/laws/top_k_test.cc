// Error feedback with top-k has no closed law (docs/algorithms.md section 10). Mean and covariance are compared with a
// plain reference recursion, and the bias must be of order γ.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "check.h"
#include "reference.h"

namespace pollen::laws {
namespace {

using Plain = Reference<3>;

Plain::Compress top(std::size_t k) {
  return [k](const Plain::Vector& v, Plain::Random&) {
    std::array<std::size_t, 3> order{};
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return std::abs(v[a]) > std::abs(v[b]); });
    Plain::Vector kept{};
    for (std::size_t j = 0; j < k; ++j) kept[order[j]] = v[order[j]];
    return kept;
  };
}

Overrides sampler(const char* name, int k) {
  return {fmt::format("sampler.name={}", name), "sampler.compressor=top-k", fmt::format("sampler.k={}", k)};
}

void expect_reference(const Plain::Options& options, const Overrides& overrides) {
  const Problem problem = matrices();
  const Estimate plain = reference_moments<3>(problem.exact, options, 12000).front();
  const Estimate run = sample_moments(problem, options.step, 1, overrides, 6000).kept;
  EXPECT_LT(distance(run, plain), kAgree) << run.covariance << "\nnot\n" << plain.covariance;
  const Law target = problem.exact.target();
  const double bias = (run.covariance - target.covariance).cwiseQuotient(run.covariance_error).diagonal().minCoeff();
  EXPECT_GT(bias, kTellApart);
  // The test must be able to tell top-k from samplers near it.
  GradientLawOptions lmc;
  lmc.step = options.step;
  const double plain_lmc = distance(run, gradient_family_law(problem.exact, lmc).front());
  EXPECT_GT(plain_lmc, kTellApart);
  ::testing::Test::RecordProperty("worst_z", fmt::format("{:.2f}", distance(run, plain)));
  ::testing::Test::RecordProperty("bias", fmt::format("{:.1f}", bias));
  ::testing::Test::RecordProperty("not_lmc", fmt::format("{:.1f}", plain_lmc));
}

TEST(TopK, Up) {
  Plain::Options options{.step = 0.06, .up = top(1)};
  options.up_feedback = true;
  expect_reference(options, sampler("d-elf", 1));
}

TEST(TopK, Down) { expect_reference({.step = 0.06, .down = top(1)}, sampler("p-elf", 1)); }

TEST(TopK, Both) {
  Plain::Options options{.step = 0.04, .up = top(1), .down = top(2)};
  options.up_feedback = true;
  Overrides overrides = sampler("b-elf", 1);
  overrides.push_back("sampler.downlink_k=2");
  expect_reference(options, overrides);
}

// E‖θ - θ*‖² of a run minus that of the target, with its standard error. lmc with the same noise serves as a control
// variate: it is subtracted and its exact value added, which leaves little variance.
struct Bias {
  double value = 0, error = 0;
};
Bias bias_of(const Problem& problem, double step, const std::vector<double>& run, const std::vector<double>& lmc) {
  GradientLawOptions options;
  options.step = step;
  const double known = gradient_family_law(problem.exact, options).front().covariance.trace();
  std::vector<Eigen::MatrixXd> chains;
  for (std::size_t c = 0; c < run.size(); ++c)
    chains.emplace_back(
        Eigen::MatrixXd::Constant(1, 1, run[c] - lmc[c] + known - problem.exact.target().covariance.trace()));
  const Average result = average(chains);
  return {result.mean(0, 0), result.error(0, 0)};
}

// Halving the step about halves the bias, and nothing of it is left as γ → 0.
TEST(TopK, BiasIsOfOrderStep) {
  const Problem problem = matrices();
  const std::vector<const char*> names = {"d-elf", "p-elf", "b-elf"};
  std::vector<std::vector<Bias>> biases(names.size());
  for (int halvings = 0; halvings < 3; ++halvings) {
    const double step = 0.06 / (1 << halvings);
    const int iterations = 1500 << halvings;
    const auto lmc = sample_moments(problem, step, 1, {"sampler.name=lmc"}, iterations).squares;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto run = sample_moments(problem, step, 1, sampler(names[i], 1), iterations).squares;
      biases[i].push_back(bias_of(problem, step, run, lmc));
      EXPECT_GT(biases[i].back().value, kTellApart * biases[i].back().error) << names[i];
    }
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t h = 0; h < 2; ++h) {
      const Bias &large = biases[i][h], &small = biases[i][h + 1];
      const double ratio = small.value / large.value;
      const double slack = kAgree * std::hypot(small.error, ratio * large.error) / large.value;
      EXPECT_NEAR(ratio, 0.5, 0.1 + slack) << names[i] << ": from " << large.value << " to " << small.value;
      EXPECT_LT(slack, 0.1) << "too few draws to tell an order";
      ::testing::Test::RecordProperty(fmt::format("{}_{}", names[i], h),
                                      fmt::format("{:.3f} slack {:.3f}", ratio, slack));
    }
  }
}

}  // namespace
}  // namespace pollen::laws
