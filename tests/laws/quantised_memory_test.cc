// qsgd behind a memory or error feedback. The draws do not show what is compressed, so these are compared with a plain
// reference recursion: qlsd++ as it comes, phase by phase, and scaled(qsgd) upwards.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "check.h"
#include "reference.h"
#include "support/norm.h"

namespace pollen::laws {
namespace {

// Returns C_j(v) = (‖v‖/s) sign(v_j) (l_j + 1{ξ_j < s|v_j|/‖v‖ - l_j}), times `scale`.
template <std::size_t D>
typename Reference<D>::Compress qsgd(double levels, double scale = 1) {
  return [=](const typename Reference<D>::Vector& v, typename Reference<D>::Random& random) {
    double norm = 0;
    for (const double x : v) norm += x * x;
    norm = told_norm(std::sqrt(norm));
    typename Reference<D>::Vector sent{};
    if (norm == 0) return sent;
    std::uniform_real_distribution<double> uniform;
    for (std::size_t j = 0; j < D; ++j) {
      const double level = levels * std::abs(v[j]) / norm, low = std::floor(level);
      sent[j] = scale * std::copysign(norm / levels * (low + (uniform(random) < level - low ? 1 : 0)), v[j]);
    }
    return sent;
  };
}

// Expects agreement with the reference under `options` in every phase, and disagreement if the clients' memories are
// dropped.
template <std::size_t D>
void expect_reference(const Problem& problem, typename Reference<D>::Options options, const Overrides& overrides) {
  const int phases = std::max(1, options.refresh);
  const auto plain = reference_moments<D>(problem.exact, options, 12000 * phases, phases);
  options.up_feedback = false;
  options.memory = 0;
  const auto forgetful = reference_moments<D>(problem.exact, options, 6000 * phases, phases);
  const Sampled run = sample_moments(problem, options.step, 1, overrides, 6000 * phases, phases);
  const Law target = problem.exact.target();
  double furthest = 0, bias = std::numeric_limits<double>::infinity(), wrong = bias;
  for (std::size_t p = 0; p < plain.size(); ++p) {
    const Estimate& mine = run.phases[p];
    furthest = std::max(furthest, distance(mine, plain[p]));
    wrong = std::min(wrong, distance(mine, forgetful[p]));
    bias = std::min(bias,
                    (mine.covariance - target.covariance).cwiseQuotient(mine.covariance_error).diagonal().minCoeff());
  }
  EXPECT_LT(furthest, kAgree);
  EXPECT_GT(bias, kTellApart);
  EXPECT_GT(wrong, kTellApart);
  ::testing::Test::RecordProperty("worst_z", fmt::format("{:.2f}", furthest));
  ::testing::Test::RecordProperty("bias", fmt::format("{:.1f}", bias));
  ::testing::Test::RecordProperty("not_without_memory", fmt::format("{:.1f}", wrong));
}

// The memory's rate is α = 1/(ω+1), where ω = min(d/s², √d/s) = √2 at d = 2, s = 1.
TEST(QuantisedMemory, QlsdPlusPlus) {
  const Reference<2>::Options options{.step = 0.03, .up = qsgd<2>(1), .memory = 1 / (1 + std::sqrt(2.0)), .refresh = 2};
  expect_reference<2>(regression(), options,
                      {"sampler.name=qlsd++", "sampler.levels=1", "sampler.batch=1", "sampler.refresh=2"});
}

// Here ω = d/s² = 3/4 at d = 3, s = 2.
TEST(QuantisedMemory, ScaledErrorFeedback) {
  Reference<3>::Options options{.step = 0.06, .up = qsgd<3>(2, 1 / 1.75)};
  options.up_feedback = true;
  expect_reference<3>(matrices(), options,
                      {"sampler.name=d-elf", "sampler.compressor=qsgd", "sampler.levels=2", "sampler.scaled=true"});
}

}  // namespace
}  // namespace pollen::laws
