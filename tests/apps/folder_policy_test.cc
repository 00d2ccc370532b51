#include <signal.h>

#include "program.h"

namespace pollen {
namespace {

class FolderPolicy : public ProgramTest {};

TEST_F(FolderPolicy, AnEarlierRunIsRenamedOrWithForceReplaced) {
  put("g.toml", kTinyGaussian);
  ASSERT_EQ(run({"run", "g.toml", "--quiet", "--out", "out", "--set", "run.chains=5"}).code, 0);
  const std::string first = slurp("out/draws-5.csv");
  EXPECT_FALSE(first.empty());
  const Outcome second = run({"run", "g.toml", "--out", "out"});
  ASSERT_EQ(second.code, 0);
  EXPECT_NE(second.err.find("out held an earlier run, which is now out-1"), std::string::npos) << second.err;
  EXPECT_FALSE(exists("out/draws-5.csv"));
  EXPECT_EQ(slurp("out-1/draws-5.csv"), first);
  ASSERT_EQ(run({"run", "g.toml", "--quiet", "--out", "out", "--force"}).code, 0);
  EXPECT_FALSE(exists("out-2"));
  EXPECT_EQ(slurp("out-1/draws-5.csv"), first);
}

TEST_F(FolderPolicy, ASecondRunInTheFolderIsRefusedWhileTheFirstWorks) {
  put("g.toml", kTinyGaussian);
  Outcome second, resumed;
  const auto begun = [&] {
    if (!exists("out/draws.spool")) return false;
    second = run({"run", "g.toml", "--out", "out", "--seed", "2"});
    resumed = run({"run", "--resume", "--out", "out"});
    return true;
  };
  ProgramOptions options;
  options.stop_signal = SIGINT;
  options.when = begun;
  const Outcome first =
      run({"run", "g.toml", "--quiet", "--out", "out", "--set", "run.iterations=500000000", "--set", "run.thin=1000"},
          options);
  EXPECT_EQ(first.code, 130) << first.err;
  for (const Outcome& other : {second, resumed}) {
    EXPECT_EQ(other.code, 2);
    EXPECT_NE(other.err.find("in which another process of pollen works"), std::string::npos) << other.err;
  }
  EXPECT_EQ(run({"run", "g.toml", "--quiet", "--out", "out"}).code, 0);
  EXPECT_TRUE(exists("out-1/checkpoint"));
}

TEST_F(FolderPolicy, AFolderWithOtherFilesIsLeftAlone) {
  put("g.toml", kTinyGaussian);
  ASSERT_EQ(run({"run", "g.toml", "--quiet", "--out", "out"}).code, 0);
  put("out/notes.txt", "mine");
  const std::string before = slurp("out/draws-1.csv");
  EXPECT_EQ(run({"run", "g.toml", "--quiet", "--out", "out", "--seed", "9"}).code, 2);
  EXPECT_EQ(slurp("out/draws-1.csv"), before);
  EXPECT_EQ(slurp("out/notes.txt"), "mine");
}

TEST_F(FolderPolicy, AWrongRunLeavesTheOldOne) {
  put("g.toml", kTinyGaussian);
  ASSERT_EQ(run({"run", "g.toml", "--quiet", "--out", "out"}).code, 0);
  const std::string before = slurp("out/draws-1.csv");
  EXPECT_EQ(run({"run", "g.toml", "--quiet", "--out", "out", "--set", "run.chains=0"}).code, 2);
  EXPECT_EQ(slurp("out/draws-1.csv"), before);
}

TEST_F(FolderPolicy, TheFolderOfAFileIsRelativeToTheFile) {
  ASSERT_EQ(run_program("/bin/mkdir", {path("sub")}).code, 0);
  put("sub/g.toml", std::string(kTinyGaussian) + "[output]\ndir = \"here\"\n");
  ASSERT_EQ(run({"run", "sub/g.toml", "--quiet"}).code, 0);
  EXPECT_TRUE(exists("sub/here/summary.json"));
  ASSERT_EQ(run({"run", "sub/g.toml", "--quiet", "--out", "there"}).code, 0);
  EXPECT_TRUE(exists("there/summary.json"));
}

}  // namespace
}  // namespace pollen
