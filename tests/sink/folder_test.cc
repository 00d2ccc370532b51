#include "sink/folder.h"

#include "fixtures.h"
#include "pollen/errors.h"

namespace pollen::sink {
namespace {

using RunFolderTest = FolderTest;

TEST_F(RunFolderTest, MakesAFolderAndReplacesItsOwnWhenAsked) {
  RunFolder run(path("a/b"));
  run.check_free();
  EXPECT_FALSE(std::filesystem::exists(path("a")));
  EXPECT_EQ(run.begin("seed = 1\n"), "");
  EXPECT_EQ(slurp(run.config()), std::string(config_marker()) + "seed = 1\n");
  put(run.file("draws-1.csv"), "x");
  put(run.file("draws-12.csv"), "x");
  put(run.file("summary.json.tmp"), "x");
  EXPECT_EQ(run.begin("seed = 2\n", RunFolder::Earlier::replace), "");
  EXPECT_FALSE(std::filesystem::exists(path("a/b-1")));
  EXPECT_FALSE(std::filesystem::exists(run.file("draws-12.csv")));
  EXPECT_FALSE(std::filesystem::exists(run.file("summary.json.tmp")));
  EXPECT_EQ(slurp(run.config()), std::string(config_marker()) + "seed = 2\n");
}

TEST_F(RunFolderTest, RenamesAnEarlierRunToTheFirstFreeNumber) {
  for (const char* seed : {"1", "2", "3"}) {
    RunFolder run(path("a/"));
    const std::string moved = run.begin(seed);
    EXPECT_EQ(moved, seed[0] == '1' ? "" : seed[0] == '2' ? path("a-1") : path("a-3"));
    if (seed[0] == '2') put(path("a-2"), "a file of the user");
  }
  EXPECT_EQ(slurp(path("a-1/config.toml")), std::string(config_marker()) + "1");
  EXPECT_EQ(slurp(path("a-2")), "a file of the user");
  EXPECT_EQ(slurp(path("a-3/config.toml")), std::string(config_marker()) + "2");
  EXPECT_EQ(slurp(path("a/config.toml")), std::string(config_marker()) + "3");
}

TEST_F(RunFolderTest, TwoRunsCannotWorkInOneFolder) {
  RunFolder first(path("a")), second(path("a"));
  first.begin("1");
  EXPECT_THROW(second.lock(), ConfigError);
  EXPECT_THROW(second.begin("2"), ConfigError);
  EXPECT_THROW(second.begin("2", RunFolder::Earlier::replace), ConfigError);
  EXPECT_EQ(slurp(path("a/config.toml")), std::string(config_marker()) + "1");
  first = RunFolder(path("elsewhere"));
  EXPECT_EQ(second.begin("2"), path("a-1"));
}

TEST_F(RunFolderTest, OtherFilesAreNeverTouched) {
  put(path("notes.txt"), "mine");
  EXPECT_THROW(RunFolder(folder_).check_free(), ConfigError);
  EXPECT_THROW(RunFolder(folder_).begin("seed = 1\n"), ConfigError);
  EXPECT_EQ(slurp(path("notes.txt")), "mine");
  EXPECT_FALSE(std::filesystem::exists(path("config.toml")));
}

TEST_F(RunFolderTest, OurNamesWithoutOurMarkerAreNotOurs) {
  put(path("config.toml"), "[server]\n");
  EXPECT_THROW(RunFolder(folder_).check_free(), ConfigError);
  put(path("draws-1.csv"), "lp__\n");
  EXPECT_THROW(RunFolder(folder_).check_free(), ConfigError);
}

TEST_F(RunFolderTest, AFileOrBelowAFileIsAConfigError) {
  put(path("file"), "x");
  EXPECT_THROW(RunFolder(path("file")).check_free(), ConfigError);
  EXPECT_THROW(RunFolder(path("file/below")).begin(""), ConfigError);
}

TEST_F(RunFolderTest, AnEmptyFolderIsFree) { RunFolder(folder_).check_free(); }

TEST(RunFile, KnowsItsNames) {
  for (const char* name : {"draws-1.csv", "draws-10.csv.tmp", "summary.json", "checkpoint", "draws.spool"})
    EXPECT_TRUE(is_run_file(name)) << name;
  for (const char* name : {"draws-.csv", "draws-x.csv", "draws-1.csv.bak", "data.csv", ""})
    EXPECT_FALSE(is_run_file(name)) << name;
}

}  // namespace
}  // namespace pollen::sink
