// Clients agree on columns, levels and scaling: whatever the order in which they speak, and with messages that say who
// differs from whom.
#include "data/column_handshake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "pollen/errors.h"

namespace pollen {
namespace {

using ::testing::HasSubstr;
using Names = std::vector<std::string>;

ColumnFacts facts(Names towns, Names columns = {"age", "town"}) {
  ColumnFacts f;
  f.columns = std::move(columns);
  f.target = "sick";
  f.levels = {{"town", std::move(towns)}, {"sick", {"no", "yes"}}};
  return f;
}

class Handshake : public ::testing::Test {
 protected:
  void take(std::size_t client, ColumnFacts what) { EXPECT_EQ(handshake_.take(client, std::move(what)), ""); }
  void agree() {
    for (const std::size_t i : {std::size_t{2}, std::size_t{0}, std::size_t{1}})
      take(i, facts(i == 1 ? Names{"oslo"} : Names{"rome", "bern"}));
    EXPECT_TRUE(handshake_.agree(names_).empty());
  }
  Names names_ = {"a", "b", "c"};
  DataSpec spec_;
  ColumnHandshake handshake_{spec_, TargetKind::binary, 3};
};

TEST_F(Handshake, TheLayoutHasTheLevelsOfAll) {
  take(1, facts({"oslo"}));
  take(0, facts({"rome", "bern"}));
  EXPECT_TRUE(handshake_.agree(names_).empty());
  EXPECT_FALSE(handshake_.layout) << "one client has not spoken";
  take(2, facts({"rome"}));
  EXPECT_TRUE(handshake_.agree(names_).empty());
  ASSERT_TRUE(handshake_.layout);
  EXPECT_EQ(handshake_.layout->levels.at("town"), (Names{"bern", "oslo", "rome"}));
  // Every client sends its labels (4 + 3 bytes) and receives them; towns have 5 bytes each with the byte after them.
  EXPECT_EQ(handshake_.level_bits(), 8 * (6 * 7 + 5 * (1 + 2 + 1) + 3 * 5 * 3));
}

TEST_F(Handshake, GivenLevelsKeepTheirOrder) {
  spec_.levels = {{"town", {"rome", "bern", "oslo"}}, {"sick", {"yes", "no"}}};
  handshake_ = ColumnHandshake(spec_, TargetKind::binary, 3);
  ColumnFacts given = facts({"rome", "bern", "oslo"});
  given.levels["sick"] = {"yes", "no"};
  for (std::size_t i = 0; i < 3; ++i) take(i, given);
  EXPECT_TRUE(handshake_.agree(names_).empty());
  ASSERT_TRUE(handshake_.layout);
  EXPECT_EQ(handshake_.layout->levels, given.levels);
  EXPECT_EQ(handshake_.take(1, given), "") << "a client that comes back";
}

TEST_F(Handshake, WhoDiffersFromMostIsToldHow) {
  take(0, facts({"rome"}, {"age", "city"}));
  take(1, facts({"rome"}));
  take(2, facts({"oslo"}));
  const auto odd = handshake_.agree(names_);
  ASSERT_EQ(odd.size(), 1U);
  EXPECT_EQ(odd.at(0),
            "its columns are not those of the other clients: found the columns age, city, accepted: age, town, which "
            "most clients' files have");
  EXPECT_FALSE(handshake_.layout);
  handshake_.forget(0);
  EXPECT_TRUE(handshake_.agree(names_).empty());
  EXPECT_FALSE(handshake_.layout);
  take(0, facts({"rome"}));
  EXPECT_TRUE(handshake_.agree(names_).empty());
  EXPECT_TRUE(handshake_.layout);
}

TEST_F(Handshake, WithoutAMajorityAllDifferencesFromTheFirstAreTold) {
  ColumnFacts number = facts({}), target = facts({"rome"});
  number.levels.erase("town");
  target.target = "ill";
  take(0, facts({"rome"}));
  take(1, number);
  take(2, target);
  try {
    (void)handshake_.agree(names_);
    FAIL() << "the clients agreed";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("client b: found numbers in column \"town\", accepted: text, which the first "
                                        "client's file has"));
    EXPECT_THAT(error.what(), HasSubstr("client c: found the target \"ill\", accepted: \"sick\", which the first "
                                        "client's file has"));
  }
}

TEST_F(Handshake, WhoComesLaterIsComparedWithTheLayout) {
  agree();
  EXPECT_EQ(handshake_.take(0, facts({"oslo"})), "");
  EXPECT_EQ(
      handshake_.take(0, facts({"paris"})),
      "its columns or levels are not those the run began with: found \"paris\" in column \"town\", accepted: what "
      "some client had there then");
  EXPECT_THAT(handshake_.take(0, facts({"oslo"}, {"town"})),
              HasSubstr("found the columns town, accepted: age, town, which the run began with"));
}

TEST_F(Handshake, ScalingIsThatOfAllRows) {
  agree();
  // The rows (age, town = oslo, town = rome) are (1, 0, 1), (3, 0, 0) | (5, 1, 0) | (7, 0, 1).
  EXPECT_EQ(handshake_.take(2, ColumnMoments{1, {7, 0, 1}, {0, 0, 0}}), "");
  EXPECT_EQ(handshake_.take(0, ColumnMoments{2, {4, 0, 1}, {2, 0, 0.5}}), "");
  EXPECT_TRUE(handshake_.agree(names_).empty());
  EXPECT_FALSE(handshake_.scaling) << "one client has not spoken";
  EXPECT_EQ(handshake_.take(1, ColumnMoments{1, {5, 1, 0}, {0, 0, 0}}), "");
  EXPECT_TRUE(handshake_.agree(names_).empty());
  ASSERT_TRUE(handshake_.scaling);
  EXPECT_EQ(handshake_.scaling->mean, (std::vector<double>{4, 0.25, 0.5}));
  EXPECT_EQ(handshake_.scaling->sd, (std::vector<double>{std::sqrt(5.0), std::sqrt(0.1875), 0.5}));
}

TEST_F(Handshake, ColumnsThatAreConstantEverywhereAreLeftOut) {
  agree();
  // Everybody is 40 years old. Towns are the same within each client, but not between clients.
  const auto speak = [&](ColumnHandshake& handshake) {
    EXPECT_EQ(handshake.take(0, ColumnMoments{2, {80, 0, 2}, {0, 0, 0}}), "");
    EXPECT_EQ(handshake.take(1, ColumnMoments{1, {40, 1, 0}, {0, 0, 0}}), "");
    EXPECT_EQ(handshake.take(2, ColumnMoments{1, {40, 0, 0}, {0, 0, 0}}), "");
    return handshake.agree(names_);
  };
  EXPECT_TRUE(speak(handshake_).empty());
  ASSERT_TRUE(handshake_.scaling);
  EXPECT_EQ(handshake_.scaling->dropped, std::vector<std::int64_t>{0});
  EXPECT_EQ(handshake_.scaling->mean, (std::vector<double>{0.25, 0.5}));
  ASSERT_EQ(handshake_.notes(names_).size(), 1U);
  EXPECT_THAT(handshake_.notes(names_)[0], HasSubstr("age (40)"));

  for (const char* constant : {"keep", "error"}) {
    spec_.constant = constant;
    ColumnHandshake other(spec_, TargetKind::binary, 3);
    other.layout = handshake_.layout;
    if (spec_.constant == "keep") {
      EXPECT_TRUE(speak(other).empty());
      EXPECT_TRUE(other.scaling->dropped.empty());
      continue;
    }
    try {
      (void)speak(other);
      FAIL() << "age is constant";
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), HasSubstr("column age: found 40 in all training rows"));
    }
  }
}

// Without standardisation sums only tell which columns are constant, and may be as large as they like.
TEST_F(Handshake, WithoutStandardisationOnlyConstantColumnsAreSettled) {
  spec_.standardize = false;
  handshake_ = ColumnHandshake(spec_, TargetKind::binary, 3);
  agree();
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(handshake_.take(i, ColumnMoments{1, {1e300, 0, i == 0 ? 1.0 : 0.0}, {i == 0 ? 0 : INFINITY, 0, 0}}), "");
  EXPECT_TRUE(handshake_.agree(names_).empty());
  ASSERT_TRUE(handshake_.scaling);
  EXPECT_EQ(handshake_.scaling->dropped, std::vector<std::int64_t>{1});
  EXPECT_TRUE(handshake_.scaling->mean.empty());
}

TEST(ScalingFault, NamesWhatCannotBeUsed) {
  EXPECT_EQ(scaling_fault({{1, 2}, {1, 1}}, 2, true), "");
  EXPECT_EQ(scaling_fault({{1}, {1}, {}, {1}, {5}}, 2, true), "");
  EXPECT_EQ(scaling_fault({{}, {}, {}, {0}, {5}}, 2, false), "");
  EXPECT_THAT(scaling_fault({{1, 2}, {1, 1}}, 3, true), HasSubstr("found 2 means and 2 scales, accepted: 3"));
  EXPECT_THAT(scaling_fault({{1, 2}, {1, 0}}, 2, true), HasSubstr("scales above 0"));
  for (const std::vector<std::int64_t>& bad : {std::vector<std::int64_t>{2}, {-1}, {1, 0}, {0, 0}})
    EXPECT_THAT(scaling_fault({{}, {}, {}, bad, std::vector<double>(bad.size())}, 2, false), HasSubstr("to leave out"));
  EXPECT_THAT(scaling_fault({{}, {}, {}, {0}, {}}, 2, false), HasSubstr("1 columns to leave out with 0 values"));
}

TEST_F(Handshake, SumsThatCannotBeUsedNameTheColumn) {
  agree();
  EXPECT_THAT(handshake_.take(0, ColumnMoments{2, {4, 0}, {2, 0, 1}}),
              HasSubstr("another number of columns: found 2 sums and 3 squares, accepted: 3 of each"));
  EXPECT_THAT(handshake_.take(0, ColumnMoments{0, {4, 0, 1}, {2, 0, 1}}), HasSubstr("found 0 rows"));
  EXPECT_THAT(handshake_.take(0, ColumnMoments{2, {4, 0, 1}, {2, INFINITY, 1}}),
              HasSubstr("column town=oslo that are too large, accepted: below 1e145"));
  EXPECT_THAT(handshake_.take(0, ColumnMoments{2, {1e308, 0, 0}, {0, 0, 0}}),
              HasSubstr("column age that are too large"));
  EXPECT_THAT(handshake_.take(0, ColumnMoments{2, {4, 0, 1}, {-2, 0, 1}}), HasSubstr("column age"));
  EXPECT_THAT(handshake_.take(0, ColumnMoments{1e300, {4, 0, 1}, {2, 0, 1}}), HasSubstr("found 1e+300 rows"));
  // What is taken stays finite when it is put together.
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(handshake_.take(i, ColumnMoments{4e9, {i == 0 ? 4e154 : -4e154, 0, 0}, {1e299, 1, 1}}), "");
  EXPECT_TRUE(handshake_.agree(names_).empty());
  EXPECT_TRUE(unusable_columns(*handshake_.scaling).empty());
}

}  // namespace
}  // namespace pollen
