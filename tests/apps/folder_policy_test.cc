#include "program.h"

namespace pollen {
namespace {

class FolderPolicy : public ProgramTest {};

TEST_F(FolderPolicy, ARunOfOursIsReplaced) {
  put("g.toml", kTinyGaussian);
  ASSERT_EQ(run({"run", "g.toml", "--quiet", "--out", "out", "--set", "run.chains=5"}).code, 0);
  EXPECT_TRUE(exists("out/draws-5.csv"));
  ASSERT_EQ(run({"run", "g.toml", "--quiet", "--out", "out"}).code, 0);
  EXPECT_FALSE(exists("out/draws-5.csv"));
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
