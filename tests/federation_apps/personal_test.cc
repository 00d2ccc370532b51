// Models with latents and test scores between processes: the files of `pollen run`, where they belong.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "federation.h"
#include "support/source_dir.h"

namespace pollen {
namespace {

using Json = nlohmann::json;

// Reaction times in milliseconds and incomes in dollars, in natural units, one file per client.
constexpr const char* kReactions = R"(
seed = 11
[model]
kind = "mixed-gaussian"
random = ["intercept", "days"]
[data]
target = "reaction"
{}
[sampler]
name = "fedsouk"
kernel = "hmc"
local_steps = 5
[run]
iterations = 400
burn_in = 100
chains = 2
[output]
client_draws = 40
{}
)";

std::string reactions(int file) {
  std::string text = "days,income,reaction\n";
  for (int i = 0; i < 30; ++i) {
    const int days = (3 * i + file) % 10, income = 21000 + 1700 * ((7 * i + 3 * file) % 23);
    const double miss = 18 * std::sin(1.0 + 5.3 * i + 2.1 * file);
    text += fmt::format("{},{},{:.2f}\n", days, income,
                        250 + 11 * ((file * 5) % 7) + (8 + 1.5 * file) * days - 0.0004 * income + miss);
  }
  return text;
}

class SharedScores : public FederationTest {
 protected:
  Json summary(const std::string& folder) const { return Json::parse(slurp(folder + "/summary.json")); }
  static void expect_near(const Json& one, const Json& other, double relative) {
    EXPECT_EQ(one.size(), other.size()) << one << other;
    for (const auto& [name, value] : one.items())
      EXPECT_NEAR(value.get<double>(), other.value(name, 1e300), relative * std::abs(value.get<double>())) << name;
  }
};

TEST_F(SharedScores, OfOrdinaryModelsAreThoseOfTheSimulation) {
  const Words keys = {"--set", "sampler.name=qlsd++", "--set", "data.test_fraction=0.4"};
  simulate(keys);
  Child server = serve(keys);
  std::vector<Child> clients;
  for (int i = 0; i < 5; ++i) {
    Words mine = keys;
    mine.insert(mine.end(), {"--out", fmt::format("site{}", i)});
    clients.push_back(join(i, port_of(server), mine));
  }
  expect_done(server, clients);
  expect_same_draws();
  const Json alone = summary("alone"), together = summary("together");
  expect_near(alone["metrics"], together["metrics"], 1e-9);
  EXPECT_EQ(alone["clients"].size(), 5U);
  EXPECT_EQ(together.value("clients", Json::array()).size(), 0U);  // each site has its own
  for (std::size_t i = 0; i < 5; ++i) {
    const Json own = summary(fmt::format("site{}", i))["clients"].at(0);
    for (const char* number : {"test_rows", "train_rows", "accuracy", "brier", "nnll"})
      EXPECT_NEAR(own[number].get<double>(), alone["clients"][i][number].get<double>(), 1e-9) << i << number;
  }
}

// The server and clients are killed while scores are asked for: nobody notices in the draws and in the scores.
TEST_F(SharedScores, SurviveKillsInTheLastQuestions) {
  constexpr int kKills = 6, kClients = 5;
  const Words keys = {"--set", "sampler.name=qlsd++", "--set", "data.test_fraction=0.6", "--set", "data.min_size=4000",
                      "--set", "data.max_size=6000",  "--set", "sampler.step=1e-5"};
  simulate(keys);
  Child server = serve(keys);
  const std::string listen = fmt::format("127.0.0.1:{}", port_of(server)), written = path("together/draws-1.csv");
  const auto come = [&](int i) {
    Words mine = keys;
    mine.insert(mine.end(), {"--out", fmt::format("site{}", i)});
    return join(i, port_of(server), mine);
  };
  std::vector<Child> clients;
  for (int i = 0; i < kClients; ++i) clients.push_back(come(i));
  int kills = 0;
  for (; kills < kKills; ++kills) {
    // The draws are written before the clients are asked.
    if (!await(kPatience, [&] { return std::filesystem::exists(written) || !server.running(); })) break;
    if (!server.running()) break;
    clients[static_cast<std::size_t>(kills % kClients)].kill();
    if (kills % 2 == 0) {
      server.kill();
      std::filesystem::remove(written);
      server = serve(keys, listen);
    }
    clients[static_cast<std::size_t>(kills % kClients)] = come(kills % kClients);
  }
  EXPECT_GE(kills, 2) << "the run was over too early";
  expect_done(server, clients);
  expect_same_draws();
  const Json alone = summary("alone"), together = summary("together");
  expect_near(alone["metrics"], together["metrics"], 1e-9);
  for (std::size_t i = 0; i < kClients; ++i)
    EXPECT_NEAR(alone["clients"][i]["nnll"].get<double>(),
                summary(fmt::format("site{}", i))["clients"].at(0)["nnll"].get<double>(), 1e-9)
        << i;
}

TEST_F(SharedScores, AreNotAskedForWhereTheStudySaysSo) {
  const Words keys = {"--set", "sampler.name=qlsd", "--set", "federation.scores=none"};
  Child server = serve(keys);
  std::vector<Child> clients = join_all(port_of(server), 5, keys);
  expect_done(server, clients);
  EXPECT_TRUE(summary("together")["metrics"].empty());
}

class PersonalSites : public SharedScores {
 protected:
  static constexpr int kSites = 4;
  PersonalSites() {
    for (int i = 0; i < kSites; ++i) put(fmt::format("d{}.csv", i), reactions(i));
    put("run.toml",
        fmt::format(kReactions, "source = [\"d0.csv\", \"d1.csv\", \"d2.csv\", \"d3.csv\"]\npartition = \"given\"",
                    ""));
    put("a.toml",
        fmt::format(kReactions, "format = \"csv\"", "[federation]\nexpect = [\"c0\", \"c1\", \"c2\", \"c3\"]"));
  }
  std::vector<Child> join_sites(int port) {
    std::vector<Child> clients;
    for (int i = kSites - 1; i >= 0; --i)
      clients.push_back(join(i, port, {"--data", fmt::format("d{}.csv", i), "--out", fmt::format("site{}", i)}));
    return clients;
  }
};

TEST_F(PersonalSites, LeaveTheFilesOfTheSimulation) {
  simulate({}, "run.toml");
  Child server = serve();
  std::vector<Child> clients = join_sites(port_of(server));
  expect_done(server, clients);
  expect_same_draws();
  const Json alone = summary("alone"), together = summary("together");
  for (std::size_t j = 0; j < alone["parameters"].size(); ++j)
    for (const char* number : {"estimate", "se"})
      EXPECT_EQ(alone["parameters"][j][number], together["parameters"][j][number]) << alone["parameters"][j]["label"];
  for (const char* score : {"rmse", "nnll"})
    EXPECT_NEAR(alone["metrics"][score].get<double>(), together["metrics"][score].get<double>(), 1e-9) << score;
  EXPECT_FALSE(std::filesystem::exists(path("together/clients")));
  put("new.csv", "income,days\n42000,3\n30000,9\n");
  for (int i = 0; i < kSites; ++i) {
    const std::string site = fmt::format("site{}", i), name = fmt::format("c{}", i), file = fmt::format("d{}", i);
    EXPECT_EQ(slurp(fmt::format("{}/clients/{}-{}.csv", site, i + 1, name)),
              slurp(fmt::format("alone/clients/{}-{}.csv", i + 1, file)));
    const Outcome far = run({"predict", site, "--client", name, "--data", "new.csv", "--json"});
    const Outcome near = run({"predict", "alone", "--client", file, "--data", "new.csv", "--json"});
    ASSERT_EQ(far.code, 0) << far.err;
    ASSERT_EQ(near.code, 0) << near.err;
    const Json one = Json::parse(far.out), other = Json::parse(near.out);
    ASSERT_EQ(one.size(), 2U);
    for (std::size_t r = 0; r < one.size(); ++r) expect_near(one[r], other[r], 1e-6);
  }
}

TEST_F(PersonalSites, SurviveKills) {
  simulate({}, "run.toml");
  Child server = serve();
  const int port = port_of(server);
  std::vector<Child> clients = join_sites(port);
  ASSERT_TRUE(await(kPatience, [&] { return spool_bytes() > 20'000 || !server.running(); }));
  clients[1].kill();
  clients[1] = join(2, port, {"--data", "d2.csv", "--out", "site2"});
  server.kill();
  Child again = serve({}, fmt::format("127.0.0.1:{}", port));
  expect_done(again, clients);
  expect_same_draws();
}

// The example that docs/federation.md shows.
TEST_F(FederationTest, TheExampleOfPersonalModelsWorks) {
  const Outcome outcome = run_program(
      "env", {"POLLEN=" + pollen_program(), source_dir() + "/examples/federation/personal", path("example")});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  expect_has(outcome.out, "log_sd[days]");
  expect_has(outcome.out, "row,mean,sd,lower,upper");
}

}  // namespace
}  // namespace pollen
