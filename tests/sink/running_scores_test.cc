#include "sink/running_scores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fixtures.h"

namespace pollen::sink {
namespace {

using Words = std::vector<std::string>;

double score_of(const Scores& scores, const std::string& name) {
  for (const Score& score : scores)
    if (score.name == name) return score.value;
  return std::nan("");
}

Panel states_of(const std::vector<double>& chains) {
  Panel states(1, static_cast<Index>(chains.size()));
  for (std::size_t c = 0; c < chains.size(); ++c) states.column(static_cast<Index>(c))[0] = chains[c];
  return states;
}

double sigmoid(double z) { return 1 / (1 + std::exp(-z)); }

TEST(RunningScores, AverageAllStatesAndStartAnewAfterBurnIn) {
  const Table test = table_of({1}, {1});
  const ModelSpec model = spec("logistic");
  RunningScores scores(model, test, 15);
  const auto nnll = [](const std::vector<double>& states) {
    double mean = 0;
    for (const double theta : states) mean += sigmoid(theta) / static_cast<double>(states.size());
    return -std::log(mean);
  };
  const std::vector<std::vector<double>> rows = {{-3, -2}, {-1, 0}, {1, 3}, {2, -0.5}};
  std::vector<Scores> found;
  for (std::size_t k = 0; k < rows.size(); ++k) found.push_back(scores.row(states_of(rows[k]), k >= 2));
  EXPECT_NEAR(score_of(found[0], "nnll"), nnll({-3, -2}), 1e-12);
  EXPECT_NEAR(score_of(found[1], "nnll"), nnll({-3, -2, -1, 0}), 1e-12);
  EXPECT_NEAR(score_of(found[2], "nnll"), nnll({1, 3}), 1e-12);
  EXPECT_NEAR(score_of(found[3], "nnll"), nnll({1, 3, 2, -0.5}), 1e-12);
  for (std::size_t k = 0; k < rows.size(); ++k)
    EXPECT_NEAR(score_of(found[k], "nnll_state"), (nnll({rows[k][0]}) + nnll({rows[k][1]})) / 2, 1e-12) << k;
  EXPECT_EQ(score_of(found[3], "accuracy"), 1);  // the average is right although one of the states is not
  EXPECT_EQ(score_of(found[3], "accuracy_state"), 0.5);
}

TEST(RunningScores, OfRegressions) {
  const Table test = table_of({1}, {0.7});
  const ModelSpec model = spec("linear");
  RunningScores scores(model, test, 15);
  scores.row(states_of({5}), false);
  scores.row(states_of({0}), true);
  const Scores row = scores.row(states_of({1}), true);
  const auto density = [](double mean) { return std::exp(-0.5 * (0.7 - mean) * (0.7 - mean)) / std::sqrt(2 * M_PI); };
  EXPECT_NEAR(score_of(row, "rmse"), 0.2, 1e-12);
  EXPECT_NEAR(score_of(row, "rmse_state"), 0.3, 1e-12);
  EXPECT_NEAR(score_of(row, "nnll"), -std::log((density(0) + density(1)) / 2), 1e-12);
  EXPECT_NEAR(score_of(row, "nnll_state"), -std::log(density(1)), 1e-12);
}

TEST(RunningScores, GoOnFromWhereTheyWereSaved) {
  const Table test = table_of({1, -2, 0.5}, {1, 0, 0});
  const ModelSpec model = spec("logistic");
  const auto state = [](int k) { return states_of({std::sin(k), std::cos(3 * k)}); };
  for (const int saved_at : {1, 4}) {  // once during the burn-in, which has three rows, and once after it
    RunningScores whole(model, test, 15), first(model, test, 15), second(model, test, 15);
    for (int k = 0; k < saved_at; ++k) whole.row(state(k), k >= 3), first.row(state(k), k >= 3);
    Archive out;
    first.archive(out);
    const Bytes bytes = out.take();
    Archive in{ByteView(bytes)};
    second.archive(in);
    in.finish();
    for (int k = saved_at; k < 7; ++k) {
      const Scores a = whole.row(state(k), k >= 3), b = second.row(state(k), k >= 3);
      ASSERT_EQ(a.size(), 8u);
      for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].value, b[i].value) << a[i].name << " in row " << k;
    }
  }
}

TEST(RunningScores, HaveOneNamePerColumn) {
  EXPECT_EQ(running_score_names(spec("poisson")), (Words{"rmse", "nnll", "rmse_state", "nnll_state"}));
  EXPECT_TRUE(running_score_names(spec("gaussian")).empty());
  const Table none, some = table_of({1}, {1});
  const ModelSpec logistic = spec("logistic"), gaussian = spec("gaussian");
  EXPECT_TRUE(RunningScores(logistic, none, 15).row(states_of({1}), true).empty());
  EXPECT_TRUE(RunningScores(gaussian, some, 15).row(states_of({1}), true).empty());
}

}  // namespace
}  // namespace pollen::sink
