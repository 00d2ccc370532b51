// Tests forecasts of rows: by hand, in blocks, from the disk, and scored like a run's test rows.
#include "sink/row_forecast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "fixtures.h"
#include "pollen/errors.h"
#include "stats/mixtures.h"

namespace pollen::sink {
namespace {

constexpr double kLog2 = 0.6931471805599453;

Panel states(const std::vector<double>& values) {
  Panel panel(1, static_cast<Index>(values.size()));
  for (std::size_t s = 0; s < values.size(); ++s) panel.column(static_cast<Index>(s))[0] = values[s];
  return panel;
}

double sigmoid(double z) { return 1 / (1 + std::exp(-z)); }
double entropy(double p) { return -p * std::log(p) - (1 - p) * std::log(1 - p); }

TEST(RowForecast, SplitsTheEntropyOfClasses) {
  const ModelSpec model = spec("logistic", 0.5);
  const ChosenDraws draws(states({-2, 2, 0.5}));
  const Forecaster forecaster(model, draws, {0.5, 1});
  const RowForecast f = forecaster.forecast(table_of({1, 0}, {}), 0, 2);
  const double p[] = {sigmoid(-2), sigmoid(2), sigmoid(0.5)};
  const double mean = (p[0] + p[1] + p[2]) / 3;
  EXPECT_NEAR(f.mean[1], mean, 1e-12);
  EXPECT_NEAR(f.mean[0], 1 - mean, 1e-12);
  EXPECT_NEAR(f.total[0], entropy(mean), 1e-12);
  EXPECT_NEAR(f.aleatoric[0], (entropy(p[0]) + entropy(p[1]) + entropy(p[2])) / 3, 1e-12);
  EXPECT_NEAR(f.epistemic[0], f.total[0] - f.aleatoric[0], 1e-12);
  EXPECT_NEAR(f.lower[1], (p[0] + p[2]) / 2, 1e-12);  // a quarter of the way through three draws
  EXPECT_NEAR(f.upper[1], (p[1] + p[2]) / 2, 1e-12);
  EXPECT_EQ(f.predicted(0), mean > 0.5 ? 1 : 0);
  // If every draw predicts the same, nothing is epistemic.
  EXPECT_NEAR(f.total[1], kLog2, 1e-12);
  EXPECT_NEAR(f.epistemic[1], 0, 1e-12);
  EXPECT_EQ(f.predicted(1), 0);
}

TEST(RowForecast, SplitsTheVarianceOfNumbers) {
  const ModelSpec linear = spec("linear", 0.5), poisson = spec("poisson", 0.5);
  const ChosenDraws draws(states({1, 2, 6}));
  const RowForecast f = Forecaster(linear, draws, {0.9, 1}).forecast(table_of({1, 2}, {}), 0, 2);
  EXPECT_NEAR(f.mean[0], 3, 1e-12);
  EXPECT_NEAR(f.aleatoric[0], 0.25, 1e-12);
  EXPECT_NEAR(f.epistemic[0], 14.0 / 3, 1e-12);
  EXPECT_NEAR(f.total[1], 0.25 + 4 * 14.0 / 3, 1e-12);
  EXPECT_LT(f.lower[0], 1.5);
  EXPECT_GT(f.upper[0], 5.5);
  const ChosenDraws one(states({std::log(4.0)}));
  const RowForecast g = Forecaster(poisson, one, {0.9, 1}).forecast(table_of({1}, {}), 0, 1);
  EXPECT_NEAR(g.mean[0], 4, 1e-12);
  EXPECT_NEAR(g.aleatoric[0], 4, 1e-12);
  EXPECT_NEAR(g.epistemic[0], 0, 1e-12);
  EXPECT_EQ(g.lower[0], 1);
  EXPECT_EQ(g.upper[0], 8);
}

std::vector<double> waves(int count, double speed) {
  std::vector<double> out;
  for (int r = 0; r < count; ++r) out.push_back(std::sin(r * speed));
  return out;
}

TEST(RowForecast, BlocksAndThreadsDoNotMatter) {
  const Table table = table_of(waves(700, 0.7), waves(700, 0.3));
  const ChosenDraws draws(states(waves(50, 1.3)));
  for (const char* kind : {"logistic", "linear"}) {
    const ModelSpec model = spec(kind, 0.5);
    const RowForecast whole = Forecaster(model, draws, {0.9, 1}).forecast(table, 0, 700);
    const Forecaster small(model, draws, {0.9, 3, 50 * 2 * 97});
    ASSERT_EQ(small.block(), 97);
    RowForecast all;
    for (Index first = 0; first < 700; first += 97) {
      const RowForecast some = small.forecast(table, first, std::min<Index>(97, 700 - first));
      all.mean.insert(all.mean.end(), some.mean.begin(), some.mean.end());
      all.upper.insert(all.upper.end(), some.upper.begin(), some.upper.end());
      all.epistemic.insert(all.epistemic.end(), some.epistemic.begin(), some.epistemic.end());
    }
    EXPECT_EQ(all.mean, whole.mean);
    EXPECT_EQ(all.upper, whole.upper);
    EXPECT_EQ(all.epistemic, whole.epistemic);
  }
}

TEST(RowForecast, ScoresAreThoseOfTestRows) {
  std::vector<double> labels;
  for (int r = 0; r < 300; ++r) labels.push_back(r % 3 == 0 ? 1 : 0);
  const Panel chosen = states(waves(40, 1.1));
  const ChosenDraws draws(states(waves(40, 1.1)));
  for (const char* kind : {"logistic", "linear", "poisson"}) {
    const ModelSpec model = spec(kind, 0.5);
    const Table table = table_of(waves(300, 0.7), labels);
    Predictive predictive(model, table);
    predictive.add_all(chosen, 1);
    const Forecaster forecaster(model, draws, {0.9, 1});
    ForecastScores scores(forecaster.classes());
    scores.add(forecaster.forecast(table, 0, 200), {labels.data(), 200});
    scores.add(forecaster.forecast(table, 200, 100), {labels.data() + 200, 100});
    EXPECT_EQ(scores.rows(), 300);
    const Scores found = scores.scores(15), known = predictive.scores(15);
    for (std::size_t i = 0; i < known.size(); ++i) {
      EXPECT_EQ(found[i].name, known[i].name);
      EXPECT_NEAR(found[i].value, known[i].value, 1e-10) << known[i].name;
    }
  }
}

TEST(RowForecast, IntervalsOfNumbersCoverAsManyAsTheySay) {
  const ModelSpec model = spec("linear", 0.5);
  const ChosenDraws draws(states({2}));
  std::vector<double> x, y;  // quantiles of N(2x, 0.5²), evenly spaced
  for (int k = 1; k < 200; ++k) {
    x.push_back(k % 5);
    const double mean[] = {2.0 * (k % 5)}, sd[] = {0.5};
    y.push_back(stats::normal_mixture_quantile(mean, sd, k / 200.0));
  }
  const Table table = table_of(x, y);
  const Forecaster forecaster(model, draws, {0.8, 1});
  ForecastScores scores(0);
  scores.add(forecaster.forecast(table, 0, table.rows), y);
  EXPECT_NEAR(scores.scores(15).back().value, 0.8, 0.01);
}

class ForecastFiles : public FolderTest {};

TEST_F(ForecastFiles, DrawsThatDoNotFitAreReadAgain) {
  std::string text = "lp__,theta.1\n";
  for (int s = 0; s < 200; ++s) text += "0," + std::to_string(std::sin(s)) + '\n';
  std::ofstream(path("draws-1.csv")) << text;
  std::ofstream(path("draws-2.csv")) << text;
  const ChosenDraws held(path(""), 150), streamed(path(""), 150, 10);
  EXPECT_EQ(held.count(), 150);
  EXPECT_EQ(streamed.count(), 150);
  const ModelSpec model = spec("logistic", 0.5);
  const Table table = table_of(waves(20, 0.7), {});
  EXPECT_EQ(Forecaster(model, held, {0.9, 1}).forecast(table, 0, 20).upper,
            Forecaster(model, streamed, {0.9, 2}).forecast(table, 0, 20).upper);
  Index pieces = 0;
  streamed.visit([&](ConstPanelView some, Index first) {
    EXPECT_EQ(first, pieces++ * 64);
    EXPECT_LE(some.columns, 64);
  });
  EXPECT_EQ(pieces, 3);
}

TEST(ForecastText, CsvAndJsonSayTheSame) {
  const ModelSpec model = spec("logistic", 0.5);
  const ChosenDraws draws(states({-2, 2, 0.5}));
  const RowForecast f = Forecaster(model, draws, {0.5, 1}).forecast(table_of({1, 0}, {}), 0, 2);
  std::string csv, json;
  ForecastWriter lines({"logistic", {"no", "yes, really"}, 0.5, 3, false}, [&](std::string_view text) { csv += text; });
  lines.add(f);
  lines.finish({});
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "row,predicted,entropy,aleatoric,epistemic,p.no,p.no.lower,p.no.upper,\"p.yes, really\","
            "\"p.yes, really.lower\",\"p.yes, really.upper\"");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
  ForecastWriter object({"logistic", {"no", "yes"}, 0.5, 3, true}, [&](std::string_view text) { json += text; });
  object.add(f);
  object.add(f);
  object.finish({{"accuracy", 0.5}, {"nnll", std::nan("")}});
  const auto parsed = nlohmann::json::parse(json);
  EXPECT_EQ(parsed["rows"].size(), 4U);
  EXPECT_EQ(parsed["rows"][3]["row"], 4);
  EXPECT_EQ(parsed["rows"][0]["probability"][1], f.mean[1]);
  EXPECT_EQ(parsed["rows"][0]["predicted"], f.predicted(0) == 1 ? "yes" : "no");
  EXPECT_EQ(parsed["scores"]["accuracy"], 0.5);
  EXPECT_TRUE(parsed["scores"]["nnll"].is_null());
}

TEST(RowForecast, DrawsThatAreNotFiniteAreSeen) {
  const ChosenDraws draws(states({1, std::nan(""), 2, 3}));
  for (const char* kind : {"logistic", "linear", "poisson"}) {
    const ModelSpec model = spec(kind, 0.5);
    const RowForecast f = Forecaster(model, draws, {0.9, 1}).forecast(table_of({1}, {}), 0, 1);
    EXPECT_TRUE(std::isnan(f.mean[0]));
    EXPECT_TRUE(std::isnan(f.upper[0]));
  }
}

TEST(RowForecast, RefusesWhatItCannotPredict) {
  const ChosenDraws draws(states({1, 2}));
  const ModelSpec gaussian = spec("gaussian", 0.5);
  EXPECT_THAT([&] { Forecaster(gaussian, draws, {}); },
              testing::ThrowsMessage<ConfigError>(testing::HasSubstr("found \"gaussian\", which predicts nothing")));
  ModelSpec wide = spec("logistic", 0.5);
  wide.features = 3;
  EXPECT_THROW(Forecaster(wide, draws, {}), ConfigError);
}

}  // namespace
}  // namespace pollen::sink
