#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>

#include "program.h"
#include "support/source_dir.h"

namespace pollen {
namespace {

class Commands : public ProgramTest {};

TEST_F(Commands, HelpIsThereOnEveryCommandWithAnExample) {
  for (const Words& words :
       {Words{"--help"}, Words{"run", "--help"}, Words{"summary", "--help"}, Words{"compare", "--help"},
        Words{"plan", "--help"}, Words{"data", "--help"}, Words{"keys", "--help"}, Words{"list", "-h"}}) {
    const Outcome help = run(words);
    EXPECT_EQ(help.code, 0) << words[0];
    EXPECT_NE(help.out.find("Example"), std::string::npos) << help.out;
    EXPECT_EQ(help.err, "");
  }
  EXPECT_TRUE(listing().empty());
}

TEST_F(Commands, HelpIsQuick) {
  run({"--help"});
  double least = 1e9;
  for (int i = 0; i < 10; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run({"--help"});
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  EXPECT_LT(least, 0.05);
}

TEST_F(Commands, VersionNamesBuildAndParts) {
  const Outcome version = run({"--version"});
  EXPECT_EQ(version.code, 0);
  for (const char* piece : {"pollen ", "git ", "torch", "cuda", "grpc", "mpi", "tls"})
    EXPECT_NE(version.out.find(piece), std::string::npos) << version.out;
}

TEST_F(Commands, ListsWhatThereIs) {
  EXPECT_NE(run({"list", "samplers"}).out.find("qlsd++"), std::string::npos);
  EXPECT_NE(run({"list", "models"}).out.find("softmax"), std::string::npos);
  EXPECT_NE(run({"list", "datasets"}).out.find("titanic"), std::string::npos);
  EXPECT_NE(run({"list", "compressors"}).out.find("rand-k"), std::string::npos);
}

TEST_F(Commands, ListsTheRowsOfEveryRegistry) {
  EXPECT_NE(run({"list", "oracles"}).out.find("fixed-point"), std::string::npos);
  EXPECT_NE(run({"list", "formats"}).out.find("libsvm"), std::string::npos);
  EXPECT_NE(run({"list", "partitions"}).out.find("label-shards"), std::string::npos);
}

TEST_F(Commands, ListsKeysAndNarrowsThemDown) {
  const std::string all = run({"list", "keys"}).out, section = run({"list", "keys", "run"}).out;
  EXPECT_NE(all.find("[sampler]"), std::string::npos);
  EXPECT_NE(section.find("burn_in"), std::string::npos);
  EXPECT_EQ(section.find("[sampler]"), std::string::npos);
  EXPECT_LT(section.size(), all.size() / 5);
  std::istringstream lines(all);
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; }), 100) << line;
  const std::string one = run({"list", "keys", "sampler.step"}).out;
  for (const char* word : {"sampler.step", "\"auto\"", "a number above 0", "used"})
    EXPECT_NE(one.find(word), std::string::npos) << one;
  const Outcome wrong = run({"list", "keys", "sampler.stpe"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("sampler.step?"), std::string::npos) << wrong.err;
}

TEST_F(Commands, TheConfigurationPageIsUpToDate) {
  std::ifstream page(pollen::source_dir() + "/docs/configuration.md");
  std::stringstream text;
  text << page.rdbuf();
  EXPECT_EQ(run({"list", "keys", "--markdown"}).out, text.str()) << "make docs writes the page anew";
}

TEST_F(Commands, DataShowsClientsAndClasses) {
  put("a.toml", kTinyLogistic);
  const Outcome table = run({"data", "a.toml", "--set", "data.clients=7"});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("7"), std::string::npos);
  put("g.toml", kTinyGaussian);
  EXPECT_NE(run({"data", "g.toml"}).out.find("mean and precision"), std::string::npos);
  EXPECT_EQ(listing(), (Words{"a.toml", "g.toml"}));
}

TEST_F(Commands, SummaryAndCompareReadWhatARunLeaves) {
  put("a.toml", kTinyLogistic);
  ASSERT_EQ(run({"run", "a.toml", "--out", "a", "--quiet"}).code, 0);
  ASSERT_EQ(run({"run", "a.toml", "--out", "b", "--quiet", "--seed", "5"}).code, 0);
  const Outcome summary = run({"summary", "a"});
  EXPECT_EQ(summary.code, 0) << summary.err;
  for (const char* piece : {"intercept", "ess_bulk", "rhat", "3 chains"})
    EXPECT_NE(summary.out.find(piece), std::string::npos) << summary.out;
  const Outcome compare = run({"compare", "a", "b"});
  EXPECT_EQ(compare.code, 0) << compare.err;
  for (const char* piece : {"Gaussian W2", "empirical W2", "agreement", "HPD", "verdict"})
    EXPECT_NE(compare.out.find(piece), std::string::npos) << compare.out;
  EXPECT_EQ(run({"compare", "a", "b/draws-1.csv"}).code, 0);
  EXPECT_EQ(run({"compare", "a", "b/summary.json"}).code, 0);
}

TEST_F(Commands, TheSeedOfTheCommandLineStandsBesideSet) {
  put("a.toml", kTinyLogistic);
  const Words set = {"--set", "run.iterations=300", "--set", "run.burn_in=100"}, seed = {"--seed", "5"};
  const auto config_of = [&](const std::string& folder, const Words& one, const Words& other) {
    Words words = {"run", "a.toml", "--quiet", "--out", folder};
    words.insert(words.end(), one.begin(), one.end());
    words.insert(words.end(), other.begin(), other.end());
    EXPECT_EQ(run(words).code, 0);
    return slurp(folder + "/config.toml");
  };
  for (const std::string& config : {config_of("a", set, seed), config_of("b", seed, set)})
    for (const char* line : {"seed = 5\n", "iterations = 300\n", "burn_in = 100\n"})
      EXPECT_NE(config.find(line), std::string::npos) << config;
}

TEST_F(Commands, CompareTakesNetworksByTheirPredictions) {
  put("net.toml", kTinyLogistic);
  const Words network = {"run", "net.toml", "--quiet", "--set", "model.kind=mlp", "--set", "model.sizes=[4]", "--out"};
  for (const Words& more : {Words{"a"}, Words{"b", "--seed", "5"}}) {
    Words words = network;
    words.insert(words.end(), more.begin(), more.end());
    ASSERT_EQ(run(words).code, 0);
  }
  const Outcome compare = run({"compare", "a", "b"});
  EXPECT_EQ(compare.code, 0) << compare.err;
  for (const char* piece : {"accuracy", "agreement", "total variation", "weights are not compared"})
    EXPECT_NE(compare.out.find(piece), std::string::npos) << compare.out;
  EXPECT_EQ(compare.out.find("Gaussian W2"), std::string::npos);
  EXPECT_NE(run({"compare", "a", "a/draws-1.csv"}).out.find("agreement"), std::string::npos);
  EXPECT_EQ(run({"compare", "a", "a/summary.json"}).code, 2);
}

TEST_F(Commands, SummaryReadsPlainCmdStanFiles) {
  put("model-1.csv", "# num_samples = 3\nlp__,mu,tau\n-1,0.5,1\n-2,0.25,2\n-1,0.75,3\n-1,0.1,2\n");
  put("model-2.csv", "# num_samples = 3\nlp__,mu,tau\n-1,0.5,1\n-2,0.35,2\n-1,0.7,3\n-1,0.2,1\n");
  const Outcome summary = run({"summary", "."});
  EXPECT_EQ(summary.code, 0) << summary.err;
  EXPECT_NE(summary.out.find("tau"), std::string::npos);
}

}  // namespace
}  // namespace pollen
