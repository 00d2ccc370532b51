// Tests mixed-effects models on the command line: files, second runs, resuming.
#include <fmt/format.h>
#include <signal.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.h"

namespace pollen {
namespace {

using Json = nlohmann::json;

const char* const kRun = R"(
[sampler]
name = "fedsouk"
kernel = "hmc"
local_steps = 3
[participation]
policy = "fixed-size"
size = 3
[run]
iterations = 300
burn_in = 50
chains = 2
[output]
client_draws = 40
)";

class PersonalProgram : public ProgramTest {
 protected:
  PersonalProgram() {
    std::string rows = "who,x,y\n";
    for (int i = 0; i < 6; ++i)
      for (int r = 0; r < 6; ++r)
        rows += fmt::format("\"{}\",{},{}\n", i == 2 ? "a, \"\"b\"\"/c" : fmt::format("w{}", i), r,
                            1 + 0.1 * i + (0.5 + 0.05 * i) * r + 0.1 * ((i * r) % 3));
    put("d.csv", rows);
    put("a.toml", fmt::format("{}{}", kMixedData, kRun));
  }
};

TEST_F(PersonalProgram, LeavesEveryClientsDrawsAndScores) {
  const Outcome done = run({"run", "a.toml", "--out", "a", "--quiet"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_NE(done.out.find("clients/"), std::string::npos);
  EXPECT_EQ(listing("a/clients").size(), 6U);
  EXPECT_EQ(listing("a/clients").front(), "1-a___b__c.csv");
  const std::string draws = slurp("a/clients/2-w0.csv");
  EXPECT_EQ(draws.substr(0, 23), "chain,draw,intercept,x\n");
  EXPECT_EQ(std::count(draws.begin(), draws.end(), '\n'), 1 + 2 * 40);
  const Json summary = Json::parse(slurp("a/summary.json"));
  EXPECT_EQ(summary["clients"].size(), 6U);
  EXPECT_GT(summary["metrics"]["rmse"], 0);
  EXPECT_LE(summary["metrics"]["rmse_client_q10"], summary["metrics"]["rmse_client_q90"]);
  EXPECT_EQ(summary["parameters"][0]["label"], "log_sigma");
  ASSERT_EQ(summary["estimates"]["average"].size(), 2U);
  double mean = 0;
  for (const Json& chain : summary["estimates"]["average"]) mean += chain[0].get<double>() / 2;
  EXPECT_NEAR(summary["parameters"][0]["estimate"], mean, 1e-9);
  EXPECT_GT(summary["parameters"][0]["se"], 0);
  EXPECT_FALSE(summary["parameters"][0].contains("sd"));
}

TEST_F(PersonalProgram, TheWrittenConfigurationGivesTheSameRun) {
  ASSERT_EQ(run({"run", "a.toml", "--out", "a", "--quiet", "--threads", "1"}).code, 0);
  ASSERT_EQ(run({"run", "a/config.toml", "--out", "b", "--quiet"}).code, 0);
  for (const char* threads : {"2", "5"})
    ASSERT_EQ(run({"run", "a.toml", "--out", threads, "--quiet", "--threads", threads}).code, 0);
  for (const char* file : {"/draws-1.csv", "/draws-2.csv", "/clients/2-w0.csv", "/clients/6-w5.csv"}) {
    EXPECT_FALSE(slurp(std::string("a") + file).empty());
    for (const char* other : {"b", "2", "5"})
      EXPECT_EQ(slurp(std::string("a") + file), slurp(std::string(other) + file)) << other << file;
  }
  const auto scores = [&](const std::string& out) { return Json::parse(slurp(out + "/summary.json"))["clients"]; };
  EXPECT_EQ(scores("a"), scores("5"));
  // A second run in the same folder replaces the first, including its clients' files.
  ASSERT_EQ(run({"run", "a.toml", "--out", "a", "--quiet", "--set", "output.clients=2"}).code, 0);
  EXPECT_EQ(listing("a/clients").size(), 2U);
}

TEST_F(PersonalProgram, MetricsShowTheLossFall) {
  ASSERT_EQ(run({"run", "a.toml", "--out", "a", "--quiet", "--set", "output.metrics_every=20", "--set",
                 "sampler.shared_step=0.001", "--set", "sampler.population_step=0.002"})
                .code,
            0);
  std::istringstream lines(slurp("a/metrics.csv"));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "round,uplink_bits,downlink_bits,gradients,seconds,nnll_train,nnll_test");
  std::vector<double> train;
  while (std::getline(lines, line)) {
    const std::size_t last = line.rfind(',');
    train.push_back(std::stod(line.substr(line.rfind(',', last - 1) + 1)));
    EXPECT_TRUE(std::isfinite(std::stod(line.substr(last + 1))));
  }
  ASSERT_EQ(train.size(), 15U);
  EXPECT_LT(train.back(), train.front());
}

TEST_F(PersonalProgram, GoesOnAfterAKill) {
  const Words words = {"run",  "a.toml", "--quiet", "--set", "run.iterations=20000", "--checkpoint-every",
                       "0.05", "--out"};
  const auto with = [&](const std::string& out, bool resume) {
    Words all = words;
    all.push_back(out);
    if (resume) all.push_back("--resume");
    return all;
  };
  ASSERT_EQ(run(with("whole", false)).code, 0);
  ProgramOptions options;
  options.stop_signal = SIGKILL;
  options.when = [this] { return exists("parts/checkpoint"); };
  run(with("parts", false), options);
  ASSERT_EQ(run(with("parts", true)).code, 0);
  for (const char* file : {"/draws-1.csv", "/draws-2.csv", "/clients/6-w5.csv"})
    EXPECT_EQ(slurp(std::string("whole") + file), slurp(std::string("parts") + file)) << file;
}

TEST_F(PersonalProgram, BaselinesLeavePoints) {
  for (const char* name :
       {"local", "fedavg", "scaffold", "fedrep", "lg-fedavg", "ditto", "apfl", "per-fedavg", "l2gd"}) {
    const Outcome done = run({"run", "a.toml", "--out", name, "--quiet", "--set", fmt::format("sampler.name={}", name),
                              "--set", "sampler.step=0.001"});
    ASSERT_EQ(done.code, 0) << name << done.err;
    EXPECT_NE(done.out.find("is an optimiser"), std::string::npos) << name;
    EXPECT_EQ(done.out.find("run longer"), std::string::npos) << done.out;
    EXPECT_EQ(run({"summary", name}).out.find("run longer"), std::string::npos) << name;
    const std::string points = slurp(std::string(name) + "/clients/2-w0.csv");
    EXPECT_EQ(std::count(points.begin(), points.end(), '\n'), 1 + 2) << name;
  }
}

const char* const kNetwork = R"(
[model]
kind = "mlp"
sizes = [4]
personal = "last-layer"
[data]
source = "d.csv"
target = "kind"
features = ["x", "y"]
partition = "by-column"
column = "who"
[sampler]
shared_step = 0.001
[run]
iterations = 200
chains = 2
[output]
client_draws = 20
)";

TEST_F(PersonalProgram, NetworksLeaveEveryClientsLayerAndScores) {
  std::string rows = "who,x,y,kind\n";
  for (int i = 0; i < 4; ++i)
    for (int r = 0; r < 15; ++r)
      rows += fmt::format("w{},{},{},{}\n", i, r % 4, (r * 7) % 5, r % 4 < 2 ? "a" : (r + i) % 3 == 0 ? "b" : "c");
  put("d.csv", rows);
  put("n.toml", kNetwork);
  const Outcome done = run({"run", "n.toml", "--out", "n", "--quiet"});
  ASSERT_EQ(done.code, 0) << done.err;
  const std::string draws = slurp("n/clients/3-w2.csv");
  EXPECT_EQ(draws.substr(0, 44), "chain,draw,\"fc2.weight[0,0]\",\"fc2.weight[0,1");
  EXPECT_EQ(std::count(draws.begin(), draws.end(), '\n'), 1 + 2 * 20);
  const Json summary = Json::parse(slurp("n/summary.json"));
  ASSERT_EQ(summary["clients"].size(), 4U);
  double right = 0, tested = 0;
  for (const Json& client : summary["clients"]) {
    EXPECT_GT(client["nnll"], 0);
    EXPECT_GT(client["brier"], 0);
    right += client["accuracy"].get<double>() * client["test_rows"].get<double>();
    tested += client["test_rows"].get<double>();
  }
  EXPECT_EQ(tested, 12);
  EXPECT_NEAR(summary["metrics"]["accuracy"], right / tested, 1e-12);
  const Json told = Json::parse(run({"predict", "n", "--data", "d.csv", "--client", "w1", "--score", "--json"}).out);
  EXPECT_EQ(told["classes"], Json({"a", "b", "c"}));
  ASSERT_EQ(told["rows"].size(), 60U);
  for (const Json& row : told["rows"]) {
    EXPECT_NEAR(row["aleatoric"].get<double>() + row["epistemic"].get<double>(), row["entropy"].get<double>(), 1e-9);
    EXPECT_GT(row["epistemic"].get<double>(), 0);
  }
  EXPECT_GT(told["scores"]["accuracy"].get<double>(), 0.4);  // half of the rows are of class a, by x
  ASSERT_EQ(run({"run", "n.toml", "--out", "r", "--quiet", "--set", "model.task=regression", "--set", "data.target=y",
                 "--set", R"(data.features=["x"])"})
                .code,
            0);
  put("rows.csv", "x\n0\n3\n");
  for (const Words& who : {Words{"--client", "w1"}, Words{"--new-client"}}) {
    Words words = {"predict", "r", "--data", "rows.csv"};
    words.insert(words.end(), who.begin(), who.end());
    const Outcome predicted = run(words);
    EXPECT_EQ(std::count(predicted.out.begin(), predicted.out.end(), '\n'), 3) << predicted.err;
  }
  ASSERT_EQ(run({"run", "n/config.toml", "--out", "m", "--quiet", "--set", R"(output.draws=["none"])"}).code, 0);
  EXPECT_FALSE(exists("m/clients"));
  EXPECT_EQ(Json::parse(slurp("m/summary.json"))["clients"], summary["clients"]);
}

}  // namespace
}  // namespace pollen
