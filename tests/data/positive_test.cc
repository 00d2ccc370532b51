// Tests data.positive, which merges a target with several labels for a binary model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files.h"

namespace pollen {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Federation load(const std::vector<std::string>& positive) {
  const testing::Folder folder;
  DataSpec spec;
  spec.sources = {folder.write("t.csv", "x,y\n1,0\n2,3\n3,1\n4,0\n5,2\n")};
  spec.positive = positive;
  spec.clients = 1;
  spec.test_fraction = 0;
  spec.standardize = false;
  return load_federation(spec, TargetKind::binary, 1, "my.toml");
}

TEST(Positive, MergesTheOtherLabels) {
  const Federation f = load({"1", "2", "3"});
  EXPECT_THAT(f.class_names, ElementsAre("0", "1|2|3"));
  for (Index r = 0; r < f.train.rows; ++r) {
    const double x = f.train.x[static_cast<std::size_t>(r * f.train.stride + 1)];
    EXPECT_EQ(f.train.y[static_cast<std::size_t>(r)], x == 1 || x == 4 ? 0 : 1);
  }
}

TEST(Positive, ChoosesTheEventOfTwoLabels) {
  const testing::Folder folder;
  DataSpec spec = testing::plain(folder.write("t.csv", "x,y\n1,alive\n2,dead\n3,alive\n"));
  spec.positive = {"alive"};
  const Federation f = load_federation(spec, TargetKind::binary, 1, "my.toml");
  EXPECT_THAT(f.class_names, ElementsAre("dead", "alive"));
  EXPECT_THAT(f.train.y, ElementsAre(1.0, 0.0, 1.0));
}

TEST(Positive, SaysWhatIsWrong) {
  const auto says = [](const std::vector<std::string>& positive) -> std::string {
    try {
      load(positive);
    } catch (const ConfigError& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_THAT(says({}), HasSubstr("or data.positive"));
  EXPECT_THAT(says({"7"}), HasSubstr("data.positive"));
  EXPECT_THAT(says({"0", "1", "2", "3"}), HasSubstr("every label"));
  EXPECT_EQ(says({"3"}), "accepted");
}

}  // namespace
}  // namespace pollen
