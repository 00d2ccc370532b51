// Laws of predictive distributions: probabilities sum to one, and likelihoods agree with the potentials up to
// constants.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "model/problem.h"

namespace pollen::testing {
namespace {

constexpr Index kRows = 1100;  // more than one block

double total_log_likelihood(const Case& c, std::span<const double> theta) {
  Scratch scratch;
  std::vector<double> each(c.y.size());
  c.spec.family->log_likelihood(c.spec, theta, c.observations, each, scratch);
  double sum = 0.0;
  for (const double v : each) sum += v;
  return sum;
}

bool predicts(const KnownFamily& known) { return model_family(known.family).predicts(); }
bool classifies(const KnownFamily& known) { return make_case(known.name, 1, 1).spec.classifies(); }
bool responds(const KnownFamily& known) { return predicts(known) && !classifies(known); }

TEST(Predictive, LogLikelihoodIsMinusValueWithConstants) {
  for (const std::string& name : kinds(predicts)) {
    const Case c = make_case(name, kRows, 5);
    const Panel theta = c.chains(2, 1);
    double constant = 0.0;
    for (const double y : c.y) constant += known_family(name).constant(y);
    for (Index k = 0; k < 2; ++k)
      EXPECT_NEAR(total_log_likelihood(c, theta.column(k)), -value_of(*c.potential, theta.column(k)) - constant, 1e-9)
          << name;
  }
}

// Values of a response on a grid that covers all of its law, with their probabilities: counts, or points 1/200 of an
// sd apart.
struct Grid {
  std::vector<double> y, p;
};
Grid grid_of(const Case& c, std::span<const double> theta, double mean, double sd) {
  const bool counts = known_family(c.name).below > 0;
  const double step = counts ? 1 : sd / 200;
  Grid grid;
  for (double y = counts ? 0 : mean - 12 * sd; y < mean + 40 * sd + 40 * step; y += step) grid.y.push_back(y);
  std::vector<double> x;
  for (std::size_t k = 0; k < grid.y.size(); ++k)
    x.insert(x.end(), c.observations.x.row(0), c.observations.x.row(0) + c.spec.features);
  grid.p.resize(grid.y.size());
  Scratch scratch;
  c.spec.family->log_likelihood(c.spec, theta,
                                {{x.data(), std::ssize(grid.y), c.spec.features, c.spec.features}, grid.y.data()},
                                grid.p, scratch);
  for (double& p : grid.p) p = step * std::exp(p);
  return grid;
}

TEST(Predictive, ResponseAndQuantilesAreThoseOfTheLikelihood) {
  for (const std::string& name : kinds(responds)) {
    const Case c = make_case(name, 1, 4);
    const Panel theta = c.chains(1, 4);
    double mean = 0, sd = 0;
    Scratch scratch;
    c.spec.family->response(c.spec, theta.column(0), c.observations.x, {&mean, 1}, {&sd, 1}, scratch);
    const Grid grid = grid_of(c, theta.column(0), mean, sd);
    double total = 0, first = 0, second = 0, below = 0;
    for (std::size_t k = 0; k < grid.y.size(); ++k) {
      total += grid.p[k];
      first += grid.p[k] * grid.y[k];
      second += grid.p[k] * grid.y[k] * grid.y[k];
    }
    EXPECT_NEAR(total, 1, 1e-9) << name;
    EXPECT_NEAR(first, mean, 1e-9) << name;
    EXPECT_NEAR(std::sqrt(second - first * first), sd, 1e-9) << name;
    const double quantile = c.spec.family->quantile(c.spec, {&mean, 1}, {&sd, 1}, 0.8);
    for (std::size_t k = 0; k < grid.y.size() && grid.y[k] < quantile; ++k) below += grid.p[k];
    EXPECT_LT(below, 0.8 + 1e-3) << name;
    EXPECT_GT(below + grid.p[static_cast<std::size_t>(std::ranges::lower_bound(grid.y, quantile) - grid.y.begin())],
              0.8 - 1e-3)
        << name;
  }
}

TEST(Predictive, FamiliesThatPredictNothingSaySo) {
  Scratch scratch;
  for (const std::string& name : kinds([](const KnownFamily& known) { return !predicts(known); })) {
    const Case c = make_case(name, 1, 1);
    double out = 0;
    EXPECT_THROW(c.spec.family->class_probabilities(c.spec, {&out, 1}, c.observations.x, {&out, 1}, scratch),
                 std::logic_error);
    EXPECT_THROW(c.spec.family->response(c.spec, {&out, 1}, c.observations.x, {&out, 1}, {&out, 1}, scratch),
                 std::logic_error);
    EXPECT_THROW(c.spec.family->log_likelihood(c.spec, {&out, 1}, c.observations, {&out, 1}, scratch),
                 std::logic_error);
  }
  for (const std::string& name : kinds(predicts)) {
    const Case c = make_case(name, 1, 2);
    const Panel theta = c.chains(1, 3);
    double mean = 0, sd = 0;
    std::vector<double> p(static_cast<std::size_t>(c.spec.classes));
    const auto respond = [&] {
      c.spec.family->response(c.spec, theta.column(0), c.observations.x, {&mean, 1}, {&sd, 1}, scratch);
    };
    const auto classify = [&] {
      c.spec.family->class_probabilities(c.spec, theta.column(0), c.observations.x, p, scratch);
    };
    if (c.spec.classifies())
      EXPECT_THROW(respond(), std::logic_error) << name;
    else
      EXPECT_THROW(classify(), std::logic_error) << name;
  }
}

TEST(Predictive, ClassProbabilitiesSumToOneAndAgreeWithTheLikelihood) {
  for (const std::string& name : kinds(classifies)) {
    const Case c = make_case(name, kRows, 5);
    const Panel theta = c.chains(1, 2);
    const auto classes = static_cast<std::size_t>(c.spec.classes);
    std::vector<double> p(c.y.size() * classes), likelihood(c.y.size());
    Scratch scratch;
    c.spec.family->class_probabilities(c.spec, theta.column(0), c.observations.x, p, scratch);
    c.spec.family->log_likelihood(c.spec, theta.column(0), c.observations, likelihood, scratch);
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
  softmax.family = &model_family("softmax");
  const Panel theta = logistic.chains(1, 3);
  std::vector<double> both(8, 0.0), a(60), b(60);
  std::copy(theta.column(0).begin(), theta.column(0).end(), both.begin() + 4);
  Scratch scratch;
  logistic.spec.family->class_probabilities(logistic.spec, theta.column(0), logistic.observations.x, a, scratch);
  softmax.family->class_probabilities(softmax, both, logistic.observations.x, b, scratch);
  expect_close(a, b, 1e-14);
}

TEST(Predictive, SmallProbabilitiesKeepTheirDigits) {
  const Case logistic = make_case("logistic", 1, 1);  // x = 1
  const double theta[] = {100.0};
  std::vector<double> p(2);
  Scratch scratch;
  logistic.spec.family->class_probabilities(logistic.spec, theta, logistic.observations.x, p, scratch);
  EXPECT_DOUBLE_EQ(p[0] / std::exp(-100.0), 1.0);
  EXPECT_DOUBLE_EQ(p[1], 1.0);
}

TEST(Predictive, Responses) {
  Scratch scratch;
  std::vector<double> mean(3), sd(3);
  const Case linear = make_case("linear", 3, 1), sampled = make_case("linear-sigma", 3, 1),
             counts = make_case("poisson", 3, 1);
  const double theta[] = {0.5, std::log(2.0)};
  linear.spec.family->response(linear.spec, {theta, 1}, linear.observations.x, mean, sd, scratch);
  EXPECT_DOUBLE_EQ(mean[2], 0.5);
  EXPECT_DOUBLE_EQ(sd[2], 0.7);
  sampled.spec.family->response(sampled.spec, theta, sampled.observations.x, mean, sd, scratch);
  EXPECT_DOUBLE_EQ(mean[0], 0.5);
  EXPECT_DOUBLE_EQ(sd[0], 2.0);
  counts.spec.family->response(counts.spec, {theta, 1}, counts.observations.x, mean, sd, scratch);
  EXPECT_DOUBLE_EQ(mean[1], std::exp(0.5));
  EXPECT_DOUBLE_EQ(sd[1], std::exp(0.25));
}

}  // namespace
}  // namespace pollen::testing
