// Tests pollen predict with mixed-effects models: a client of the run, and a new one with and without rows of its own.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "program.h"

namespace pollen {
namespace {

using Json = nlohmann::json;

const char* const kRun = R"(
test_fraction = 0.0
[sampler]
name = "fedsouk"
kernel = "hmc"
[run]
iterations = 400
burn_in = 200
chains = 2
[output]
client_draws = 3000
clients = 0
)";

class Predict : public ProgramTest {
 protected:
  Predict() {
    std::string rows = "who,colour,x,y\n";
    for (int i = 0; i < 10; ++i)
      for (int r = 0; r < 5; ++r)
        rows += fmt::format("w{},{},{},{}\n", i, (i + r) % 2 == 0 ? "red" : "blue", r,
                            1 + 0.3 * (i % 4) + (0.5 + 0.1 * (i % 3)) * r + 0.2 * ((i * r) % 3) - 0.4 * ((i + r) % 2));
    put("d.csv", rows);
    put("a.toml", fmt::format("{}{}", kMixedData, kRun));
    put("rows.csv", "x,colour\n0,red\n3,blue\n");
  }
  Json ask(Words more) const {
    more.insert(more.begin(), {"predict", "a", "--data", "rows.csv", "--json"});
    const Outcome done = run(more);
    EXPECT_EQ(done.code, 0) << done.err;
    return Json::parse(done.out.empty() ? "[]" : done.out);
  }
};

// φ and β and their covariance C are those of summary.json, so the law is known: y ~ N(f + μ0 + μ1 x, σ0² + σ1² x² +
// σ²) with the coefficients' uncertainty. For the logarithm λ of a standard deviation E exp(2λ) is exp(2 E λ + 2 Var
// λ).
TEST_F(Predict, ANewClientComesFromThePopulation) {
  for (const char* scaled : {"data.standardize=false", "data.standardize=true"}) {
    ASSERT_EQ(run({"run", "a.toml", "--out", "a", "--quiet", "--set", scaled}).code, 0);
    const Json summary = Json::parse(slurp("a/summary.json"));
    const Json answer = ask({"--new-client", "--interval", "0.8"});
    ASSERT_EQ(answer.size(), 2U);
    for (int row = 0; row < 2; ++row) {
      const double x = row == 0 ? 0 : 3, red = row == 0 ? 1 : 0;
      // The coordinates are colour=red, log_sigma, mu, mu, log_sd, log_sd.
      std::vector<double> e;
      for (const Json& p : summary["parameters"]) e.push_back(p["estimate"]);
      ASSERT_EQ(e.size(), 6U);
      const Json& c = summary["covariance"];
      const double design[] = {red, 0, 1, x, 0, 0};
      double mean = 0, variance = 0;
      for (std::size_t j = 0; j < 6; ++j) {
        mean += design[j] * e[j];
        for (std::size_t k = 0; k < 6; ++k) variance += design[j] * design[k] * c[j][k].get<double>();
      }
      for (const auto& [j, factor] : {std::pair<std::size_t, double>{1, 1}, {4, 1}, {5, x * x}})
        variance += factor * std::exp(2 * e[j] + 2 * c[j][j].get<double>());
      const double sd = std::sqrt(variance);
      const Json& found = answer[static_cast<std::size_t>(row)];
      EXPECT_NEAR(found["mean"], mean, 0.1 * sd);
      EXPECT_NEAR(found["sd"], sd, 0.05 * sd);
      EXPECT_NEAR(found["lower"], mean - 1.2816 * sd, 0.12 * sd);
      EXPECT_NEAR(found["upper"], mean + 1.2816 * sd, 0.12 * sd);
      EXPECT_GT(found["mean_lower"], found["lower"]);  // without noise
      EXPECT_LT(found["mean_upper"], found["upper"]);
    }
  }
}

TEST_F(Predict, RowsOfOnesOwnNarrowTheIntervals) {
  ASSERT_EQ(run({"run", "a.toml", "--out", "a", "--quiet"}).code, 0);
  put("own.csv", "y,x,colour\n1.3,0,red\n1.8,1,red\n2.2,2,red\n2.9,3,red\n3.3,4,red\n");
  const Json nobody = ask({"--new-client"}), own = ask({"--new-client", "--observed", "own.csv"});
  const Json known = ask({"--client", "w3"});
  for (std::size_t row = 0; row < 2; ++row) {
    EXPECT_LT(own[row]["sd"], nobody[row]["sd"]);
    EXPECT_LT(known[row]["sd"], nobody[row]["sd"]);
  }
  // A new client with the rows of an old one equals that client up to Monte Carlo error.
  std::string rows = "x,colour,y\n";
  for (int r = 0; r < 5; ++r)
    rows += fmt::format("{},{},{}\n", r, (3 + r) % 2 == 0 ? "red" : "blue",
                        1 + 0.3 * 3 + 0.5 * r + 0.2 * ((3 * r) % 3) - 0.4 * ((3 + r) % 2));
  put("own.csv", rows);
  const Json again = ask({"--new-client", "--observed", "own.csv"});
  for (std::size_t row = 0; row < 2; ++row) {
    EXPECT_NEAR(again[row]["mean"], known[row]["mean"], 0.1 * known[row]["sd"].get<double>());
    EXPECT_NEAR(again[row]["sd"], known[row]["sd"], 0.05 * known[row]["sd"].get<double>());
  }
}

TEST_F(Predict, ANewClientNeedsNobodysData) {
  ASSERT_EQ(run({"run", "a.toml", "--out", "a", "--quiet"}).code, 0);
  put("own.csv", "y,x,colour\n1.3,0,red\n1.8,1,red\n2.2,2,red\n");
  const Json before = ask({"--new-client"}), known = ask({"--new-client", "--observed", "own.csv"});
  const std::string rows = slurp("d.csv");
  put("d.csv", "gone\n1\n");
  EXPECT_EQ(ask({"--new-client"}), before);
  EXPECT_EQ(ask({"--new-client", "--observed", "own.csv"}), known);
  EXPECT_EQ(run({"predict", "a", "--data", "rows.csv", "--client", "w3"}).code,
            2);  // its latent is drawn from its rows
  put("d.csv", rows);
  EXPECT_EQ(run({"predict", "a", "--data", "rows.csv", "--client", "w3"}).code, 0);
}

TEST_F(Predict, WhatIsWrongIsTold) {
  ASSERT_EQ(
      run({"run", "a.toml", "--out", "a", "--quiet", "--set", "run.iterations=20", "--set", "run.burn_in=5"}).code, 0);
  put("other.csv", "colour,z\nred,1\n");
  put("level.csv", "colour,x\ngreen,1\n");
  const auto refused = [&](const Words& words, const std::string& piece) {
    const Outcome done = run(words);
    EXPECT_EQ(done.code, 2) << done.out;
    EXPECT_NE(done.err.find(piece), std::string::npos) << done.err;
  };
  refused({"predict", "a", "--data", "rows.csv"}, "--new-client");
  refused({"predict", "a", "--data", "rows.csv", "--client", "v3"}, "did you mean");
  refused({"predict", "a", "--data", "rows.csv", "--client", "w3", "--observed", "d.csv"}, "--observed");
  refused({"predict", "a", "--data", "other.csv", "--new-client"}, "found no column \"x\"");
  refused({"predict", "a", "--data", "level.csv", "--new-client"}, "green");
  refused({"predict", "a", "--data", "none.csv", "--new-client"}, "none.csv");
  refused({"predict", "none", "--data", "rows.csv", "--new-client"}, "config.toml");
  refused({"predict", "a", "--data", "rows.csv", "--new-client", "--interval", "1.5"}, "--interval");
  put("t.toml", kTinyLogistic);
  ASSERT_EQ(run({"run", "t.toml", "--out", "t", "--quiet"}).code, 0);
  refused({"predict", "t", "--data", "rows.csv", "--new-client"}, "mixed-effects");
}

}  // namespace
}  // namespace pollen
