#include <filesystem>

#include "program.h"

namespace pollen {
namespace {

class Report : public ProgramTest {
 protected:
  void put_draws(const std::string& name) const {
    std::filesystem::create_directories(path(name));
    put(name + "/draws-1.csv", "a,b\n1,2\n2,3\n3,1\n");
  }
  // Returns false if the build has no pages; the command must then say how to get them.
  bool has_page() {
    put_draws("x");
    const Outcome outcome = run({"report", "x"});
    if (outcome.code == 0) return true;
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find("accepted: one made where npm is"), std::string::npos) << outcome.err;
    return false;
  }
};

TEST_F(Report, IsOneFileInTheFolderOfTheRun) {
  if (!has_page()) GTEST_SKIP() << "this build has no web pages (npm)";
  put("a.toml", kTinyLogistic);
  ASSERT_EQ(run({"run", "a.toml", "--out", "out", "--quiet"}).code, 0);
  const Outcome outcome = run({"report", "out"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string page = slurp("out/report.html");
  EXPECT_NE(page.find("http-equiv=\"Content-Security-Policy\""), std::string::npos);
  EXPECT_NE(page.find("\"participation\":{\"groups\""), std::string::npos);
  EXPECT_EQ(page.find("@POLLEN_REPORT_DATA@"), std::string::npos);
  EXPECT_EQ(page.find(" src="), std::string::npos);  // loads nothing from elsewhere
  EXPECT_EQ(run({"run", "a.toml", "--out", "out", "--quiet"}).code, 0) << "the folder is still one of ours";
  EXPECT_FALSE(exists("out/report.html"));
}

TEST_F(Report, SeveralFoldersAndAnotherFile) {
  if (!has_page()) GTEST_SKIP() << "this build has no web pages (npm)";
  put_draws("y");
  ASSERT_EQ(run({"report", "x", "y", "-o", "both.html"}).code, 0);
  EXPECT_TRUE(exists("both.html"));
  EXPECT_FALSE(exists("y/report.html"));
}

TEST_F(Report, WhatIsWrongIsSaidAndNothingIsWritten) {
  if (!has_page()) GTEST_SKIP() << "this build has no web pages (npm)";
  EXPECT_EQ(run({"report"}).code, 2);
  const Outcome none = run({"report", "none", "-o", "page.html"});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("none: found no such folder"), std::string::npos) << none.err;
  EXPECT_FALSE(exists("page.html"));
  const Outcome folder = run({"report", "x", "-o", "x"});
  EXPECT_EQ(folder.code, 2);
  EXPECT_NE(folder.err.find("accepted: a file's path"), std::string::npos) << folder.err;
}

}  // namespace
}  // namespace pollen
