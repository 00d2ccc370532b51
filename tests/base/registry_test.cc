#include "base/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pollen/errors.h"

namespace pollen {
namespace {

struct Row {
  std::string name;
  int value = 0;
};

TEST(Registry, FindsAndListsRowsInTheirOrder) {
  const Registry<Row> rows("fruit", {{"pear", 1}, {"apple", 2}});
  EXPECT_EQ(rows.at("apple").value, 2);
  EXPECT_EQ(rows.find("plum"), nullptr);
  EXPECT_THAT(rows.names(), testing::ElementsAre("pear", "apple"));
}

TEST(Registry, RefusesANameWithTheAcceptedOnes) {
  const Registry<Row> rows("fruit", {{"pear", 1}, {"apple", 2}});
  try {
    rows.at("paer");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "fruit: found \"paer\", accepted: pear, apple; did you mean pear?");
  }
}

TEST(Registry, AddsRowsWithoutMovingOthers) {
  Registry<Row> rows("fruit", {{"pear", 1}});
  const Row* pear = rows.find("pear");
  for (int i = 0; i < 1000; ++i) rows.add({"plum " + std::to_string(i), i});
  EXPECT_EQ(rows.find("pear"), pear);
  EXPECT_EQ(rows.at("plum 999").value, 999);
  EXPECT_THROW(rows.add({"pear", 3}), std::invalid_argument);
}

}  // namespace
}  // namespace pollen
