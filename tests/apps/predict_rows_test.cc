// Tests pollen predict with models without latents. Every kind must give the scores that the run gave its test rows,
// without access to the run's data.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.h"

namespace pollen {
namespace {

using Json = nlohmann::json;

struct Kind {
  const char* name;    // name of the test
  const char* model;   // keys of [model]
  const char* target;  // a column of the data
};

std::string rows(int from, int to, const std::string& target) {
  std::string text = fmt::format("{},x,colour,z\n", target);
  for (int i = from; i < to; ++i) {
    const double x = 0.1 * (i * 37 % 50), z = std::sin(i);
    const std::string colour = i % 3 == 0 ? "red" : i % 3 == 1 ? "blue" : "green";
    const double mean = 0.6 * x + z - (colour == "red" ? 1 : 0) + 0.5 * std::sin(7.0 * i);
    const std::string y = target == "number"  ? fmt::format("{:.4f}", mean)
                          : target == "count" ? fmt::format("{}", static_cast<int>(std::exp(0.4 * mean)))
                          : target == "truth" ? (mean > 1 ? "yes" : "no")
                                              : (mean > 2     ? "high"
                                                 : mean > 0.7 ? "middle"
                                                              : "low");
    text += fmt::format("{},{:.2f},{},{:.4f}\n", y, x, colour, z);
  }
  return text;
}

class PredictRows : public ProgramTest, public testing::WithParamInterface<Kind> {
 protected:
  PredictRows() {
    put("train.csv", rows(0, 160, GetParam().target));
    put("test.csv", rows(160, 220, GetParam().target));
    put("a.toml",
        fmt::format("[model]\n{}\n[data]\nsource = \"train.csv\"\ntest_source = \"test.csv\"\ntarget = \"{}\"\n"
                    "clients = 4\n[sampler]\nname = \"lsd\"\nstep = 2e-4\n[run]\niterations = 600\nburn_in = 200\n"
                    "chains = 2\n",
                    GetParam().model, GetParam().target));
  }
  std::string ask(Words more, int code = 0) const {
    more.insert(more.begin(), {"predict", "a"});
    const Outcome done = run(more);
    EXPECT_EQ(done.code, code) << done.err;
    return code == 0 ? done.out : done.err;
  }
};

TEST_P(PredictRows, ScoresAsTheRunDidAndNeedsNoneOfItsData) {
  ASSERT_EQ(run({"run", "a.toml", "--out", "a", "--quiet"}).code, 0);
  const Json summary = Json::parse(slurp("a/summary.json"));
  const Json answer = Json::parse(ask({"--data", "test.csv", "--score", "--json"}));
  ASSERT_EQ(answer["rows"].size(), 60U);
  for (const auto& [name, value] : summary["metrics"].items())
    EXPECT_NEAR(answer["scores"][name].get<double>(), value.get<double>(), 1e-9) << name;
  for (const Json& row : answer["rows"]) {
    const bool classes = row.contains("predicted");
    const double whole = classes ? row["entropy"].get<double>() : std::pow(row["sd"].get<double>(), 2);
    EXPECT_NEAR(row["aleatoric"].get<double>() + row["epistemic"].get<double>(), whole, 1e-9);
    EXPECT_GE(row["epistemic"].get<double>(), 0);
    if (!classes) continue;
    double sum = 0;
    for (std::size_t c = 0; c < answer["classes"].size(); ++c) {
      sum += row["probability"][c].get<double>();
      EXPECT_LE(row["lower"][c].get<double>(), row["upper"][c].get<double>());
    }
    EXPECT_NEAR(sum, 1, 1e-6);
  }
  const std::string csv = ask({"--data", "test.csv"});
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 61);

  // Without the data nothing changes. Without encoder.json the data are needed again.
  std::filesystem::rename(path("train.csv"), path("moved.csv"));
  EXPECT_EQ(ask({"--data", "test.csv"}), csv);
  std::filesystem::rename(path("a/encoder.json"), path("encoder.json"));
  EXPECT_NE(ask({"--data", "test.csv"}, 2).find("encoder.json"), std::string::npos);
  std::filesystem::rename(path("moved.csv"), path("train.csv"));
  EXPECT_EQ(ask({"--data", "test.csv"}), csv);
}

// Runs of version 0.1 have draws of standardized columns, and a configuration without output.scale.
TEST_P(PredictRows, RunsOfVersion01AreRead) {
  ASSERT_EQ(run({"run", "a.toml", "--out", "a", "--quiet", "--set", "output.scale=standardized"}).code, 0);
  const std::string answer = ask({"--data", "test.csv"});
  std::string config = slurp("a/config.toml");
  const std::size_t at = config.find("scale = \"standardized\"");
  ASSERT_NE(at, std::string::npos);
  put("a/config.toml", config.erase(at, config.find('\n', at) - at));
  EXPECT_EQ(ask({"--data", "test.csv"}), answer);
}

TEST_P(PredictRows, OneDrawHasNothingEpistemic) {
  ASSERT_EQ(run({"run", "a.toml", "--out", "a", "--quiet"}).code, 0);
  const Json answer = Json::parse(ask({"--data", "test.csv", "--draws", "1", "--json"}));
  EXPECT_EQ(answer["draws"], 1);
  for (const Json& row : answer["rows"]) EXPECT_NEAR(row["epistemic"].get<double>(), 0, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, PredictRows,
    testing::Values(Kind{"logistic", "kind = \"logistic\"", "truth"}, Kind{"softmax", "kind = \"softmax\"", "size"},
                    Kind{"linear", "kind = \"linear\"", "number"},
                    Kind{"linear_known_noise", "kind = \"linear\"\nnoise_sd = 0.5", "number"},
                    Kind{"poisson", "kind = \"poisson\"", "count"}, Kind{"mlp", "kind = \"mlp\"\nsizes = [5]", "size"},
                    Kind{"mlp_regression", "kind = \"mlp\"\nsizes = [5]\ntask = \"regression\"\nnoise_sd = 0.5",
                         "number"}),
    [](const auto& kind) { return std::string(kind.param.name); });

class PredictConstant : public ProgramTest {};

// The year is the same in all rows, and no row is green. Files to predict may have a year or not.
TEST_F(PredictConstant, ColumnsMayBeThereOrNot) {
  std::string train = "y,year,x,colour\n";
  for (int i = 0; i < 60; ++i)
    train += fmt::format("{:.3f},2020,{},{}\n", 0.3 * (i % 7) + std::sin(i), i % 7, i % 3 == 0 ? "red" : "blue");
  put("train.csv", train);
  put("a.toml",
      "[model]\nkind = \"linear\"\n[data]\nsource = \"train.csv\"\ntarget = \"y\"\nclients = 3\n"
      "levels = {colour = [\"red\", \"blue\", \"green\"]}\n[sampler]\nname = \"lsd\"\nstep = 1e-3\n"
      "[run]\niterations = 300\nchains = 2\n");
  const Outcome done = run({"run", "a.toml", "--out", "a"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_NE(done.out.find("year (2020), colour=green (0)"), std::string::npos) << done.out;
  const Json summary = Json::parse(slurp("a/summary.json"));
  ASSERT_EQ(summary["parameters"].size(), 4U);
  EXPECT_EQ(summary["parameters"][2]["label"], "colour=blue");
  put("with.csv", "x,year,colour\n3,1999,red\n4,2020,blue\n");
  put("without.csv", "x,colour\n3,red\n4,blue\n");
  const Outcome with = run({"predict", "a", "--data", "with.csv"});
  EXPECT_EQ(with.code, 0) << with.err;
  EXPECT_EQ(with.out, run({"predict", "a", "--data", "without.csv"}).out);
  const Outcome refused = run({"run", "a.toml", "--out", "b", "--set", "data.constant=error"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("column year: found 2020 in all training rows"), std::string::npos) << refused.err;
}

class PredictWrong : public ProgramTest {
 protected:
  void refused(const Words& words, const std::string& piece) const {
    const Outcome done = run(words);
    EXPECT_EQ(done.code, 2) << done.out;
    EXPECT_EQ(done.out, "");
    EXPECT_NE(done.err.find(piece), std::string::npos) << done.err;
  }
};

TEST_F(PredictWrong, IsTold) {
  put("t.toml", kTinyLogistic);
  ASSERT_EQ(run({"run", "t.toml", "--out", "t", "--quiet"}).code, 0);
  put("good.csv", "class,sex,age\n1st,female,adult\n");
  put("columns.csv", "class,sexe,age\n1st,female,adult\n");
  put("level.csv", "class,sex,age\n1st,female,adult\n4th,male,child\n");
  put("fields.csv", "class,sex,age\n1st,female\n");
  put("empty.csv", "");
  EXPECT_EQ(run({"predict", "t", "--data", "good.csv"}).code, 0);
  refused({"predict", "t", "--data", "columns.csv"}, "found no column \"sex\"");
  refused({"predict", "t", "--data", "columns.csv"}, "\"sexe\" is near it");
  refused({"predict", "t", "--data", "level.csv"}, "row 3, column class: found \"4th\", accepted: 1st, 2nd, 3rd, crew");
  refused({"predict", "t", "--data", "fields.csv"}, "row 2: found 2 fields");
  refused({"predict", "t", "--data", "empty.csv"}, "empty");
  refused({"predict", "t", "--data", "good.csv", "--score"}, "found no column \"survived\"");
  refused({"predict", "t", "--data", "good.csv", "--draws", "0"}, "--draws");
  refused({"predict", "t", "--data", "good.csv", "--client", "1"}, "mixed-effects");
  put("t/encoder.json", "{\"version\": 7}");
  refused({"predict", "t", "--data", "good.csv"}, "t/encoder.json: version: found \"7\", accepted: 1");
  ASSERT_EQ(run({"run", "t.toml", "--out", "s", "--quiet", "--set", "model.kind=softmax"}).code, 0);
  put("t/encoder.json", slurp("s/encoder.json"));
  refused({"predict", "t", "--data", "good.csv"}, "another kind of target");
  put("g.toml", kTinyGaussian);
  ASSERT_EQ(run({"run", "g.toml", "--out", "g", "--quiet"}).code, 0);
  EXPECT_FALSE(exists("g/encoder.json"));
  refused({"predict", "g", "--data", "good.csv"},
          "predicts nothing of rows; accepted: a model that predicts its target");
  ASSERT_EQ(run({"run", "t.toml", "--out", "n", "--quiet", "--set", "output.draws=[\"none\"]"}).code, 0);
  refused({"predict", "n", "--data", "good.csv"}, "no draws");
}

TEST_F(PredictWrong, ScoresGoToStderr) {
  put("t.toml", kTinyLogistic);
  ASSERT_EQ(run({"run", "t.toml", "--out", "t", "--quiet"}).code, 0);
  put("labelled.csv", "class,sex,age,survived\n1st,female,adult,yes\ncrew,male,adult,no\n");
  const Outcome done = run({"predict", "t", "--data", "labelled.csv", "--score"});
  EXPECT_EQ(done.out.substr(0, done.out.find('\n')),
            "row,predicted,entropy,aleatoric,epistemic,p.no,p.no.lower,p.no.upper,p.yes,p.yes.lower,p.yes.upper");
  EXPECT_NE(done.out.find("\n1,yes,"), std::string::npos) << done.out;
  EXPECT_NE(done.err.find("scores of 2 rows over 1000 draws:  accuracy 1  accuracy_mean 1"), std::string::npos)
      << done.err;
}

TEST_F(PredictWrong, SummaryIsPlainInAPipeAndHasJson) {
  put("t.toml", kTinyLogistic);
  ASSERT_EQ(run({"run", "t.toml", "--out", "t", "--quiet"}).code, 0);
  const Outcome text = run({"summary", "t"}), traced = run({"summary", "t", "--sparkline"});
  EXPECT_EQ(text.out.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.out.find("trace"), std::string::npos);
  EXPECT_NE(text.out.find("check"), std::string::npos);
  EXPECT_NE(traced.out.find("trace"), std::string::npos);
  const Json json = Json::parse(run({"summary", "t", "--json"}).out), stored = Json::parse(slurp("t/summary.json"));
  ASSERT_EQ(json["parameters"].size(), stored["parameters"].size());
  EXPECT_EQ(json["parameters"][2]["mean"], stored["parameters"][2]["mean"]);
  EXPECT_TRUE(json["parameters"][2]["check"].is_array());
}

}  // namespace
}  // namespace pollen
