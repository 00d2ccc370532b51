// Tests [network] as a user sees it: the column, the summary, the report and the plan.
#include <fmt/format.h>
#include <signal.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.h"

namespace pollen {
namespace {

using Json = nlohmann::json;

class NetworkTime : public ProgramTest {
 protected:
  NetworkTime() { put("a.toml", std::string(kTinyLogistic) + "[network]\npreset = \"phone\"\n"); }

  // Returns the cells of the named column as text.
  Words column(const std::string& file, const std::string& name) const {
    std::istringstream lines(slurp(file));
    Words values;
    std::size_t wanted = std::string::npos;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream cells(line);
      std::size_t at = 0;
      for (std::string cell; std::getline(cells, cell, ','); ++at) {
        if (cell == name) wanted = at;
        if (at == wanted && cell != name) values.push_back(cell);
      }
    }
    return values;
  }
};

TEST_F(NetworkTime, IsAColumnOfMetricsAndInTheSummary) {
  const Outcome outcome = run({"run", "a.toml", "--out", "out"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("  in such a network: "), std::string::npos) << outcome.out;
  EXPECT_EQ(slurp("out/metrics.csv")
                .find("round,uplink_bits,downlink_bits,gradients,seconds,simulated_seconds,accuracy,ece,brier,nnll,"
                      "accuracy_state,"),
            0u);
  const Words times = column("out/metrics.csv", "simulated_seconds");
  ASSERT_EQ(times.size(), 30u);
  for (std::size_t i = 1; i < times.size(); ++i) EXPECT_GT(std::stod(times[i]), std::stod(times[i - 1]));
  const Json network = Json::parse(slurp("out/summary.json"))["network"];
  EXPECT_NEAR(network["simulated_seconds"].get<double>(), std::stod(times.back()), 1e-3);
  double parts = 0;
  for (const char* part : {"waiting", "down", "computing", "up", "server"})
    parts += network[std::string(part) + "_seconds"].get<double>();
  EXPECT_NEAR(parts, network["simulated_seconds"].get<double>(), 1e-6);
  ASSERT_EQ(run({"run", "out/config.toml", "--out", "again", "--quiet", "--threads", "3"}).code, 0);
  EXPECT_EQ(column("again/metrics.csv", "simulated_seconds"), times);
}

TEST_F(NetworkTime, ChangesNoDraw) {
  put("b.toml", kTinyLogistic);
  ASSERT_EQ(run({"run", "a.toml", "--out", "a", "--quiet"}).code, 0);
  ASSERT_EQ(run({"run", "b.toml", "--out", "b", "--quiet"}).code, 0);
  for (const char* name : {"/draws-1.csv", "/draws-3.csv"})
    EXPECT_EQ(slurp(std::string("a") + name), slurp(std::string("b") + name));
  EXPECT_FALSE(Json::parse(slurp("b/summary.json")).contains("network"));
}

TEST_F(NetworkTime, GoesOnWithTheRun) {
  const auto words = [](const std::string& out) {
    return Words{"run", "a.toml", "--quiet", "--out", out, "--set", "run.iterations=60000", "--checkpoint-every",
                 "0.05"};
  };
  ASSERT_EQ(run(words("whole")).code, 0);
  ProgramOptions options;
  options.stop_signal = SIGINT;
  options.when = [this] {
    std::error_code error;
    return std::filesystem::file_size(path("parts/draws.spool"), error) > 1000 && !error && exists("parts/checkpoint");
  };
  ASSERT_EQ(run(words("parts"), options).code, 130);
  Words again = words("parts");
  again.push_back("--resume");
  ASSERT_EQ(run(again).code, 0);
  EXPECT_EQ(column("parts/metrics.csv", "simulated_seconds"), column("whole/metrics.csv", "simulated_seconds"));
}

TEST_F(NetworkTime, APlanHasIt) {
  put("g.toml", std::string(kTinyGaussian) + "[network]\npreset = \"hospital\"\n");
  const Outcome plan = run({"plan", "g.toml", "--set", "sampler.step=0.01", "--precision", "0.5"});
  ASSERT_EQ(plan.code, 0) << plan.err;
  EXPECT_NE(plan.out.find("in the network"), std::string::npos) << plan.out;
  EXPECT_NE(plan.out.find(" per round, "), std::string::npos) << plan.out;
  EXPECT_NE(plan.out.find(" to W2 <= 0.5\n"), std::string::npos) << plan.out;
  const Json json =
      Json::parse(run({"plan", "g.toml", "--set", "sampler.step=0.01", "--precision", "0.5", "--json"}).out);
  const Json network = json["network"];
  EXPECT_NEAR(network["seconds"].get<double>(),
              network["round_seconds"].get<double>() * json["traffic"]["rounds"].get<double>(), 1e-6);
  EXPECT_LT(network["precision_seconds"], network["seconds"]);
  put("b.toml", kTinyGaussian);
  EXPECT_TRUE(Json::parse(run({"plan", "b.toml", "--json"}).out)["network"].is_null());
}

TEST_F(NetworkTime, WrongInputIsRefused) {
  const auto refused = [this](const std::string& set, const std::string& says) {
    const Outcome outcome = run({"run", "a.toml", "--out", "x", "--set", set});
    EXPECT_EQ(outcome.code, 2) << set;
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
    EXPECT_FALSE(exists("x"));
  };
  refused("network.preset=phones",
          "accepted: \"phone\", \"broadband\", \"hospital\", \"datacentre\"; did you mean \"phone\"?");
  refused("network.uplink_mbps=0", "network.uplink_mbps: found 0, accepted: a number from 1e-6 to 1e12");
  refused("network.uplink_mbs=1", "did you mean network.uplink_mbps?");
  refused("network.availability=0", "accepted: a number from 1e-6 to 1");
  refused("network.jitter_spread=-1", "accepted: a number from 0 to 5");
  refused("network.trace=none.csv", "none.csv");
  put("t.csv", "client,uplink_mbps,downlink_mbps,latency_ms,gradients_per_second\n1,1,1,1,fast\n");
  refused("network.trace=t.csv", "t.csv: row 2, column gradients_per_second: found \"fast\", accepted: a number from");
  put("t.csv", "client,uplink_mbps,downlink_mbps,latency_ms,gradients_per_second\n1,1,1,1,5\n");
  refused("network.trace=t.csv", "found no row for client \"2\" and 3 others, accepted: one for each of the 5 clients");
}

}  // namespace
}  // namespace pollen
