#include <gtest/gtest.h>

#include "recipe/config_difference.h"

namespace pollen {
namespace {

const std::string kText =
    "seed = 1\n\n[sampler]\nname = \"qlsd++\"\nstep = \"auto\"\n\n[output]\ndir = \"/a\"\nlp = true\n"
    "\n[[client]]\nmean = [1.0]\n\n[[client]]\nmean = [2.0]\n";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kText;
  return text.replace(text.find(from), from.size(), to);
}

TEST(ConfigDifference, EqualTextsHaveNone) { EXPECT_FALSE(first_difference(kText, kText)); }

TEST(ConfigDifference, TheFolderDoesNotCount) { EXPECT_FALSE(first_difference(kText, with("\"/a\"", "\"/b\""))); }

TEST(ConfigDifference, NamesTheKeyAndBothValues) {
  const auto step = first_difference(kText, with("\"auto\"", "0.1"));
  ASSERT_TRUE(step);
  EXPECT_EQ(step->key, "sampler.step");
  EXPECT_EQ(step->left, "\"auto\"");
  EXPECT_EQ(step->right, "0.1");
  EXPECT_EQ(first_difference(kText, with("lp = true", "lp = false"))->key, "output.lp");
  EXPECT_EQ(first_difference(kText, with("[2.0]", "[3.0]"))->key, "client 2: mean");
  EXPECT_EQ(first_difference(kText, kText + "data = [[1.0]]\n")->key, "client 2: data");
}

}  // namespace
}  // namespace pollen
