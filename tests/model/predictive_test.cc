// Laws of predictive distributions: probabilities sum to one, and likelihoods agree with the potentials up to
// constants.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "model/problem.h"

namespace pollen::testing {
namespace {

constexpr Index kRows = 1100;  // more than one block

double total_log_likelihood(const Case& c, std::span<const double> theta) {
  Scratch scratch;
  std::vector<double> each(c.y.size());
  log_likelihood(c.spec, theta, c.observations, each, scratch);
  double sum = 0.0;
  for (const double v : each) sum += v;
  return sum;
}

TEST(Predictive, LogLikelihoodIsMinusValueWithConstants) {
  for (const std::string name : {"linear", "linear-sigma", "logistic", "softmax", "poisson"}) {
    const Case c = make_case(name, kRows, 5);
    const Panel theta = c.chains(2, 1);
    double constant = 0.0;
    for (const double y : c.y) {
      if (c.spec.kind == ModelKind::linear) constant += 0.5 * std::log(2 * std::numbers::pi);
      if (c.spec.noise_sd) constant += std::log(*c.spec.noise_sd);
      if (c.spec.kind == ModelKind::poisson) constant += std::log(std::tgamma(y + 1));
    }
    for (Index k = 0; k < 2; ++k)
      EXPECT_NEAR(total_log_likelihood(c, theta.column(k)), -value_of(*c.potential, theta.column(k)) - constant, 1e-9)
          << name;
  }
}

TEST(Predictive, ClassProbabilitiesSumToOneAndAgreeWithTheLikelihood) {
  for (const std::string name : {"logistic", "softmax"}) {
    const Case c = make_case(name, kRows, 5);
    const Panel theta = c.chains(1, 2);
    const auto classes = static_cast<std::size_t>(c.spec.classes);
    std::vector<double> p(c.y.size() * classes), likelihood(c.y.size());
    Scratch scratch;
    class_probabilities(c.spec, theta.column(0), c.observations.x, p, scratch);
    log_likelihood(c.spec, theta.column(0), c.observations, likelihood, scratch);
    for (std::size_t r = 0; r < c.y.size(); ++r) {
      double sum = 0.0;
      for (std::size_t k = 0; k < classes; ++k) sum += p[r * classes + k];
      EXPECT_NEAR(sum, 1.0, 1e-15 * 4);
      EXPECT_NEAR(std::log(p[r * classes + static_cast<std::size_t>(c.y[r])]), likelihood[r], 1e-13) << name;
    }
  }
}

TEST(Predictive, LogisticIsSoftmaxWithTwoClasses) {
  const Case logistic = make_case("logistic", 30, 4);
  ModelSpec softmax = logistic.spec;
  softmax.kind = ModelKind::softmax;
  const Panel theta = logistic.chains(1, 3);
  std::vector<double> both(8, 0.0), a(60), b(60);
  std::copy(theta.column(0).begin(), theta.column(0).end(), both.begin() + 4);
  Scratch scratch;
  class_probabilities(logistic.spec, theta.column(0), logistic.observations.x, a, scratch);
  class_probabilities(softmax, both, logistic.observations.x, b, scratch);
  expect_close(a, b, 1e-14);
}

TEST(Predictive, SmallProbabilitiesKeepTheirDigits) {
  const Case logistic = make_case("logistic", 1, 1);  // x = 1
  const double theta[] = {100.0};
  std::vector<double> p(2);
  Scratch scratch;
  class_probabilities(logistic.spec, theta, logistic.observations.x, p, scratch);
  EXPECT_DOUBLE_EQ(p[0] / std::exp(-100.0), 1.0);
  EXPECT_DOUBLE_EQ(p[1], 1.0);
}

TEST(Predictive, Responses) {
  Scratch scratch;
  std::vector<double> mean(3), sd(3);
  const Case linear = make_case("linear", 3, 1), sampled = make_case("linear-sigma", 3, 1),
             counts = make_case("poisson", 3, 1);
  const double theta[] = {0.5, std::log(2.0)};
  response(linear.spec, {theta, 1}, linear.observations.x, mean, sd, scratch);
  EXPECT_DOUBLE_EQ(mean[2], 0.5);
  EXPECT_DOUBLE_EQ(sd[2], 0.7);
  response(sampled.spec, theta, sampled.observations.x, mean, sd, scratch);
  EXPECT_DOUBLE_EQ(mean[0], 0.5);
  EXPECT_DOUBLE_EQ(sd[0], 2.0);
  response(counts.spec, {theta, 1}, counts.observations.x, mean, sd, scratch);
  EXPECT_DOUBLE_EQ(mean[1], std::exp(0.5));
  EXPECT_DOUBLE_EQ(sd[1], std::exp(0.25));
}

}  // namespace
}  // namespace pollen::testing
