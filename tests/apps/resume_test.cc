#include <fmt/format.h>
#include <signal.h>

#include <filesystem>

#include "program.h"

namespace pollen {
namespace {

// A run long enough to be interrupted, and the same run without interruption.
class Resume : public ProgramTest {
 protected:
  Resume() { put("a.toml", kTinyLogistic); }

  Words words(const std::string& out, bool resume = false) const {
    Words all = {"run",
                 "a.toml",
                 "--quiet",
                 "--out",
                 out,
                 "--set",
                 fmt::format("run.iterations={}", iterations_),
                 "--checkpoint-every",
                 "0.05"};
    if (resume) all.push_back("--resume");
    return all;
  }

  Outcome hit(const std::string& out, int signal, std::size_t spool_bytes) const {
    ProgramOptions options;
    options.stop_signal = signal;
    options.when = [this, out, spool_bytes] {
      std::error_code error;
      const auto bytes = std::filesystem::file_size(path(out) + "/draws.spool", error);
      return !error && bytes > spool_bytes && exists(out + "/checkpoint");
    };
    return run(words(out), options);
  }

  void expect_same(const std::string& a, const std::string& b) const {
    for (int chain = 1; chain <= 3; ++chain) {
      const std::string name = fmt::format("/draws-{}.csv", chain);
      EXPECT_FALSE(slurp(a + name).empty());
      EXPECT_EQ(slurp(a + name), slurp(b + name)) << name;
    }
    // Compares everything but the seconds.
    EXPECT_EQ(without_seconds(slurp(a + "/metrics.csv")), without_seconds(slurp(b + "/metrics.csv")));
  }

  int iterations_ = 60'000;

  static std::string without_seconds(const std::string& csv) {
    std::string text;
    int column = 0;
    for (const char c : csv) {
      column = c == '\n' ? 0 : column + (c == ',' ? 1 : 0);
      if (column != 4) text += c;
    }
    return text;
  }
};

TEST_F(Resume, AfterCtrlCGoesOnToTheSameDraws) {
  ASSERT_EQ(run(words("whole")).code, 0);
  const Outcome stopped = hit("parts", SIGINT, 1000);
  ASSERT_EQ(stopped.code, 130) << stopped.err;
  EXPECT_NE(stopped.err.find("--resume"), std::string::npos);
  EXPECT_TRUE(exists("parts/draws-1.csv"));
  EXPECT_TRUE(exists("parts/checkpoint"));
  EXPECT_NE(slurp("parts/summary.json").find("\"interrupted\""), std::string::npos);
  ASSERT_EQ(run(words("parts", true)).code, 0);
  expect_same("whole", "parts");
  EXPECT_FALSE(exists("parts/draws.spool"));
}

TEST_F(Resume, AfterSigtermTwiceAndWithoutTheConfigFile) {
  ASSERT_EQ(run(words("whole")).code, 0);
  ASSERT_EQ(hit("parts", SIGTERM, 1000).code, 130);
  std::filesystem::rename(path("parts"), path("moved"));
  const Outcome outcome = run({"run", "--resume", "--quiet", "--out", "moved", "--threads", "2"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_same("whole", "moved");
}

TEST_F(Resume, AfterSigkillGoesOnFromTheLastCheckpoint) {
  ASSERT_EQ(run(words("whole")).code, 0);
  ASSERT_EQ(hit("parts", SIGKILL, 200'000).code, 128 + SIGKILL);
  const Outcome outcome = run(words("parts", true));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_same("whole", "parts");
}

TEST_F(Resume, AnotherConfigurationIsRefusedByItsKey) {
  ASSERT_EQ(hit("parts", SIGINT, 1000).code, 130);
  Words other = words("parts", true);
  other.insert(other.end(), {"--set", "sampler.step=1e-4"});
  const Outcome outcome = run(other);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("sampler.step"), std::string::npos) << outcome.err;
  EXPECT_TRUE(exists("parts/draws.spool"));
}

// Changes a single digit of a cell, so that the file has as many bytes as before.
TEST_F(Resume, ChangedDataAreRefusedByTheFile) {
  std::string rows = "x,y\n";
  for (int i = 0; i < 60; ++i) rows += fmt::format("{},{}\n", (i * 7) % 50 + 10, i % 3 == 0 ? "yes" : "no");
  put("rows.csv", rows);
  put("a.toml",
      "[data]\nsource = \"rows.csv\"\nclients = 3\n[model]\nkind = \"logistic\"\n"
      "[sampler]\nname = \"lsd\"\n[run]\nthin = 10\n");
  iterations_ = 300'000;  // of a small problem
  ASSERT_EQ(hit("parts", SIGINT, 1000).code, 130);
  std::string other = rows;
  other[5] = other[5] == '0' ? '1' : '0';
  put("rows.csv", other);
  const Outcome refused = run(words("parts", true));
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("rows.csv: found other bytes than when the run began"), std::string::npos) << refused.err;
  put("rows.csv", rows);
  EXPECT_EQ(run(words("parts", true)).code, 0);
}

TEST_F(Resume, ADamagedSpoolIsRefusedByTheDraw) {
  ASSERT_EQ(hit("parts", SIGINT, 1000).code, 130);
  std::string bytes = slurp("parts/draws.spool");
  bytes[700] = static_cast<char>(bytes[700] ^ 4);
  put("parts/draws.spool", bytes);
  const Outcome outcome = run(words("parts", true));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("draws.spool: found damaged bytes in draw"), std::string::npos) << outcome.err;
}

TEST_F(Resume, OfAFinishedRunSaysSo) {
  ASSERT_EQ(run({"run", "a.toml", "--quiet", "--out", "out"}).code, 0);
  const std::string before = slurp("out/draws-1.csv");
  const Outcome outcome = run({"run", "a.toml", "--out", "out", "--resume"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("complete"), std::string::npos);
  EXPECT_NE(outcome.out.find("intercept"), std::string::npos);
  EXPECT_EQ(slurp("out/draws-1.csv"), before);
}

TEST_F(Resume, ADamagedCheckpointIsRefused) {
  ASSERT_EQ(hit("parts", SIGINT, 1000).code, 130);
  std::string bytes = slurp("parts/checkpoint");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  put("parts/checkpoint", bytes);
  const Outcome outcome = run(words("parts", true));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("checkpoint"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace pollen
