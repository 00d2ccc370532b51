#include "pollen/errors.h"

#include <gtest/gtest.h>

namespace pollen {
namespace {

TEST(Nearest, FindsSlipsAndNothingElse) {
  const std::vector<std::string> names = {"age", "sex", "class", "survived"};
  EXPECT_EQ(nearest("aeg", names), "age");
  EXPECT_EQ(nearest("clas", names), "class");
  EXPECT_EQ(nearest("survivd", names), "survived");
  EXPECT_EQ(nearest("temperature", names), std::nullopt);
  EXPECT_EQ(nearest("x", {}), std::nullopt);
}

TEST(Problems, AreToldTogetherAndAtMostTen) {
  Problems problems;
  EXPECT_NO_THROW(problems.raise());
  for (int i = 0; i < 15; ++i) problems.add("file.toml: key" + std::to_string(i), "is wrong");
  try {
    problems.raise();
    FAIL();
  } catch (const ConfigError& e) {
    EXPECT_EQ(e.problems().size(), ConfigError::kMost);
    EXPECT_EQ(std::string(e.what()).substr(0, 25), "file.toml: key0: is wrong");
  }
}

// A site that refuses a study has one or two lines per column.
TEST(ConfigError, HasAHundredLinesAtMost) {
  EXPECT_EQ(ConfigError(std::vector<Problem>(30, {"a.csv", "is wrong"})).problems().size(), 30U);
  EXPECT_EQ(ConfigError(std::vector<Problem>(3000, {"a.csv", "is wrong"})).problems().size(), 100U);
}

TEST(NumericError, NamesRoundAndClient) {
  EXPECT_STREQ(NumericError("broken", 12, 3).what(), "round 12, client 4: broken");
  EXPECT_STREQ(NumericError("broken", 12, -1).what(), "round 12: broken");
}

}  // namespace
}  // namespace pollen
