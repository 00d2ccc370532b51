#include "sink/predictive.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fixtures.h"

namespace pollen::sink {
namespace {

double value(const Scores& scores, const std::string& name) {
  for (const Score& score : scores)
    if (score.name == name) return score.value;
  return std::nan("");
}

TEST(Predictive, AveragesProbabilitiesNotParameters) {
  const Table test = table_of({1, -1}, {1, 1});
  const ModelSpec model = spec("logistic");
  Predictive predictive(model, test);
  EXPECT_TRUE(std::isnan(value(predictive.scores(15), "nnll")));
  const double a = 2, b = -0.5;
  predictive.add(std::span(&a, 1));
  predictive.add(std::span(&b, 1));
  const auto sigmoid = [](double z) { return 1 / (1 + std::exp(-z)); };
  const double first = (sigmoid(2) + sigmoid(-0.5)) / 2, second = (sigmoid(-2) + sigmoid(0.5)) / 2;
  EXPECT_NEAR(value(predictive.scores(15), "nnll"), -(std::log(first) + std::log(second)) / 2, 1e-12);
  EXPECT_NEAR(value(predictive.scores(15), "accuracy"), 0.5, 1e-12);
  EXPECT_NEAR(value(predictive.scores(0, 1, 15), "nnll"), -std::log(first), 1e-12);
  EXPECT_NEAR(predictive.probabilities()[1], first, 1e-12);
}

TEST(Predictive, AveragesDensitiesOfRegressions) {
  const Table test = table_of({1}, {0.7});
  const ModelSpec model = spec("linear");
  Predictive predictive(model, test);
  const auto density = [](double mean) { return std::exp(-0.5 * (0.7 - mean) * (0.7 - mean)) / std::sqrt(2 * M_PI); };
  for (const double theta : {0.0, 1.0, 3.0}) predictive.add(std::span(&theta, 1));
  EXPECT_NEAR(value(predictive.scores(15), "nnll"), -std::log((density(0) + density(1) + density(3)) / 3), 1e-12);
  EXPECT_NEAR(value(predictive.scores(15), "rmse"), std::abs(4.0 / 3 - 0.7), 1e-12);
}

TEST(Predictive, AnyNumberOfThreadsAndABlockAtATimeAreTheSame) {
  std::vector<double> x, y;
  for (int r = 0; r < 2000; ++r) x.push_back(std::sin(r)), y.push_back(r % 2);
  const Table test = table_of(x, y);
  const ModelSpec model = spec("logistic");
  Panel states(1, 10);
  for (Index s = 0; s < 10; ++s) states.column(s)[0] = static_cast<double>(s) - 4;
  Predictive one(model, test), three(model, test), by_one(model, test);
  one.add_all(states, 1);
  three.add_all(states, 3);
  for (Index s = 0; s < 10; ++s) by_one.add(states.column(s));
  EXPECT_EQ(one.probabilities(), three.probabilities());
  EXPECT_EQ(one.probabilities(), by_one.probabilities());
}

TEST(Predictive, DoesNotApplyWithoutRowsOrPrediction) {
  const Table none, some = table_of({1}, {1});
  const ModelSpec logistic = spec("logistic"), gaussian = spec("gaussian");
  EXPECT_FALSE(Predictive(logistic, none).applies());
  EXPECT_FALSE(Predictive(gaussian, some).applies());
  EXPECT_TRUE(Predictive(gaussian, some).scores(15).empty());
}

TEST(Predictive, StateIsSavedAndLoaded) {
  const Table test = table_of({1, 2}, {0, 1});
  const ModelSpec model = spec("logistic");
  Predictive before(model, test), after(model, test);
  const double theta = 0.3;
  before.add(std::span(&theta, 1));
  Archive out;
  before.archive(out);
  const Bytes bytes = out.take();
  Archive in{ByteView(bytes)};
  after.archive(in);
  in.finish();
  EXPECT_EQ(before.probabilities(), after.probabilities());
}

}  // namespace
}  // namespace pollen::sink
