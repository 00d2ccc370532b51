// Runs every command that the report at the end of a run advises.
#include <fmt/format.h>

#include <sstream>

#include "program.h"

namespace pollen {
namespace {

class NextCommands : public ProgramTest {
 protected:
  NextCommands() {
    std::string rows = "who,x,y,kind\n";
    for (int i = 0; i < 6; ++i)
      for (int r = 0; r < 10; ++r)
        rows += fmt::format("w{},{},{},{}\n", i, r % 4, 0.5 * (r % 4) + 0.1 * ((7 * r + i) % 5),
                            (r + i) % 3 == 0 ? "a" : "b");
    put("d.csv", rows);
    put("tiny.toml", kTinyLogistic);
    put("gaussian.toml", kTinyGaussian);
    put("mixed.toml", fmt::format("{}test_fraction = 0.0\nfeatures = [\"x\"]\n[sampler]\nname = \"fedsoul\"\n[run]\n"
                                  "iterations = 60\nchains = 2\n[output]\nclient_draws = 20\n",
                                  kMixedData));
  }
  // Runs the configuration and then each command that it advises. Returns these commands.
  Words advised(const std::string& config, const Words& set = {}) {
    Words words = {"run", config, "--quiet", "--out", "an out"};
    for (const std::string& one : set) words.insert(words.end(), {"--set", one});
    const Outcome done = run(words);
    EXPECT_EQ(done.code, 0) << done.err;
    const std::size_t at = done.out.find("  next:  ");
    EXPECT_NE(at, std::string::npos) << done.out;
    if (at == std::string::npos) return {};
    Words commands;
    std::string line = done.out.substr(at + 9, done.out.find('\n', at) - at - 9);
    for (std::size_t end = 0; end != std::string::npos; line.erase(0, end == std::string::npos ? 0 : end + 8)) {
      end = line.find("   ·   ");
      commands.push_back(line.substr(0, end));
    }
    for (const std::string& command : commands) expect_works(command);
    expect_same_verdict(done.out);
    return commands;
  }
  // Expects `pollen summary` and the report to say what the run said.
  void expect_same_verdict(const std::string& said) const {
    const std::size_t at = said.find("  verdict: "), end = said.find("\n\n  files: ");
    ASSERT_LT(at, end) << said;
    const std::string verdict = said.substr(at, end - at);
    EXPECT_NE(run({"summary", "an out"}).out.find(verdict), std::string::npos) << verdict;
    const std::string words = verdict.substr(11, verdict.find('\n') - 11);
    if (exists("an out/report.html")) {
      EXPECT_NE(slurp("an out/report.html").find(words), std::string::npos) << words;
    }
  }
  void expect_works(const std::string& command) const {
    Words words;
    std::istringstream parts(command);
    for (std::string word; parts >> word;) words.push_back(word);
    EXPECT_EQ(words[0], "pollen") << command;
    EXPECT_EQ(words[2] + " " + words[3], "'an out'") << command;
    words.erase(words.begin());
    words.erase(words.begin() + 2);
    words[1] = "an out";
    for (std::string& word : words) {
      if (word == "FILE") word = "d.csv";
      if (word == "REFERENCE") word = "an out";
    }
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, 0) << command << ": " << outcome.err;
  }
  static bool has(const Words& commands, const std::string& name) {
    for (const std::string& command : commands)
      if (command.find("pollen " + name) == 0) return true;
    return false;
  }
};

const Words kOwnRows = {"data.source=d.csv", "data.target=kind", "data.partition=by-column",
                        "data.column=who",   "data.clients=6",   "run.iterations=300",
                        "run.burn_in=50"};

TEST_F(NextCommands, WorkForARegression) {
  const Words commands = advised("tiny.toml", kOwnRows);
  for (const char* name : {"summary", "predict", "compare"}) EXPECT_TRUE(has(commands, name)) << name;
}

TEST_F(NextCommands, WorkWithoutDraws) {
  Words set = kOwnRows;
  set.emplace_back("output.draws=none");
  const Words commands = advised("tiny.toml", set);
  EXPECT_TRUE(has(commands, "summary"));
  for (const char* name : {"predict", "compare"}) EXPECT_FALSE(has(commands, name)) << name;
}

TEST_F(NextCommands, WorkForANetwork) {
  Words set = kOwnRows;
  set.insert(set.end(), {"model.kind=mlp", "model.sizes=[3]"});
  const Words commands = advised("tiny.toml", set);
  for (const char* name : {"predict", "compare"}) EXPECT_TRUE(has(commands, name)) << name;
}

TEST_F(NextCommands, WorkForAModelThatPredictsNothing) {
  const Words commands = advised("gaussian.toml", {"run.iterations=500"});
  EXPECT_FALSE(has(commands, "predict"));
  EXPECT_TRUE(has(commands, "compare"));
}

TEST_F(NextCommands, WorkForClientsWithLatents) {
  for (const char* draws : {"csv", "none"}) {
    const Words commands = advised("mixed.toml", {fmt::format("output.draws={}", draws)});
    EXPECT_TRUE(has(commands, "predict 'an out' --client w0 --data FILE")) << draws;
    EXPECT_FALSE(has(commands, "compare"));
  }
  const Words commands = advised("mixed.toml", {"sampler.name=fedavg", "sampler.step=0.001"});
  for (const char* name : {"predict", "compare"}) EXPECT_FALSE(has(commands, name)) << name;
}

// A run that leaves no draw has a verdict all the same.
TEST_F(NextCommands, SummaryShowsARunThatFailedAtOnce) {
  const Outcome failed = run({"run", "gaussian.toml", "--quiet", "--out", "out", "--set", "sampler.step=1e9"});
  EXPECT_EQ(failed.code, 1);
  EXPECT_NE(failed.out.find("verdict: Not converged: the run failed."), std::string::npos) << failed.out;
  const Outcome summary = run({"summary", "out"});
  EXPECT_EQ(summary.code, 0) << summary.err;
  EXPECT_NE(summary.out.find("verdict: Not converged: the run failed.\n    - the run failed: round "),
            std::string::npos)
      << summary.out;
  EXPECT_EQ(run({"summary", "out", "--json"}).code, 0);
}

}  // namespace
}  // namespace pollen
