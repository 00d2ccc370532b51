// Tests data.min_cell: rare levels and numbers are pooled, labels that are too rare are refused, and a client that
// reads its own file does what the simulation does for it.
#include <gtest/gtest.h>

#include <set>

#include "files.h"

namespace pollen {
namespace {

class MinCell : public ::testing::Test {
 protected:
  MinCell() {
    spec_.min_cell = 3;
    spec_.test_fraction = 0;
    spec_.standardize = false;
    spec_.constant = "keep";
    spec_.partition = "given";
    spec_.target = "y";
  }

  // Adds a client whose rows are copies of lines, each with the number of its copies.
  void client(const std::string& header, const std::vector<std::pair<std::string, int>>& lines) {
    std::string text = header + '\n';
    for (const auto& [line, copies] : lines)
      for (int i = 0; i < copies; ++i) text += line + '\n';
    spec_.sources.push_back(folder_.write(std::to_string(spec_.sources.size()) + ".csv", text));
  }
  Federation load(TargetKind target = TargetKind::binary) const {
    return load_federation(spec_, target, 7, "test.toml");
  }

  testing::Folder folder_;
  DataSpec spec_;
};

using Names = std::vector<std::string>;

// Returns how many training rows of a client have a 1 in a column.
Index ones(const Federation& data, Index client, const std::string& column) {
  const auto j = std::ranges::find(data.feature_names, column) - data.feature_names.begin();
  Index count = 0;
  for (Index r = data.train_begin[static_cast<std::size_t>(client)];
       r < data.train_begin[static_cast<std::size_t>(client) + 1]; ++r)
    count += data.train.x[static_cast<std::size_t>(r * data.train.stride + j)] == 1.0 ? 1 : 0;
  return count;
}

TEST_F(MinCell, RareLevelsCountAsOtherIfThatIsEnough) {
  client("town,y", {{"bern,0", 1}, {"bonn,0", 2}, {"oslo,0", 4}, {"oslo,1", 4}, {"rome,0", 3}, {"rome,1", 3}});
  const Federation data = load();
  EXPECT_EQ(data.feature_names, (Names{"intercept", "town=other", "town=rome"}));
  EXPECT_EQ(ones(data, 0, "town=other"), 3);
  ASSERT_EQ(data.notes.size(), 1U);
  EXPECT_EQ(data.notes[0],
            "column town: bern, bonn have fewer than 3 training rows, alone or with one label, at this client; they "
            "count as other where that is enough, else as the commonest level there (data.min_cell)");
}

TEST_F(MinCell, ElseAsTheCommonestLevel) {
  client("town,y", {{"bern,0", 1}, {"oslo,0", 4}, {"oslo,1", 5}, {"rome,0", 3}, {"rome,1", 3}});
  const Federation data = load();
  EXPECT_EQ(data.feature_names, (Names{"intercept", "town=rome"}));
  EXPECT_EQ(ones(data, 0, "town=rome"), 6);
}

// With one label a level may be rare although it has many rows.
TEST_F(MinCell, ALevelIsRareIfItIsWithOneLabel) {
  client("town,y", {{"bern,0", 9}, {"bern,1", 1}, {"oslo,0", 5}, {"oslo,1", 6}, {"rome,0", 3}, {"rome,1", 3}});
  const Federation data = load();
  EXPECT_EQ(data.feature_names, (Names{"intercept", "town=rome"}));
}

// If all but a few rows have a level, the few are as rare as if the level were.
TEST_F(MinCell, TheRestOfTheRowsIsAGroupToo) {
  client("town,y", {{"oslo,0", 9}, {"oslo,1", 9}, {"rome,0", 1}, {"bern,1", 1}});
  const Federation data = load();
  EXPECT_EQ(data.feature_names, Names{"intercept"});
}

TEST_F(MinCell, GivenLevelsAreKeptAndHaveNoOther) {
  spec_.levels["town"] = {"oslo", "bern", "bonn", "rome"};
  client("town,y", {{"bern,0", 2}, {"bonn,0", 2}, {"oslo,0", 4}, {"oslo,1", 4}, {"rome,0", 3}, {"rome,1", 3}});
  const Federation data = load();
  EXPECT_EQ(data.feature_names, (Names{"intercept", "town=bern", "town=bonn", "town=rome"}));
  EXPECT_EQ(ones(data, 0, "town=bern") + ones(data, 0, "town=bonn"), 0);
}

TEST_F(MinCell, NumbersThatAreRareTakeTheCommonestValue) {
  client("flag,dose,size,y", {{"0,0,1.5,0", 5}, {"0,0,2.5,1", 5}, {"1,2,3.5,0", 1}, {"1,3,4.5,1", 1}});
  const Federation data = load();
  for (Index r = 0; r < data.train.rows; ++r) {
    EXPECT_EQ(data.train.x[static_cast<std::size_t>(r * data.train.stride + 1)], 0);
    EXPECT_EQ(data.train.x[static_cast<std::size_t>(r * data.train.stride + 2)], 0);
  }
  EXPECT_EQ(data.train.x[static_cast<std::size_t>(11 * data.train.stride + 3)], 4.5) << "7 rows are not at 1.5";
  EXPECT_EQ(data.notes.size(), 2U);
}

TEST_F(MinCell, ALabelThatIsTooRareIsRefusedByItsClient) {
  client("x,y", {{"1,0", 5}, {"2,1", 5}});
  client("x,y", {{"1,0", 5}, {"2,1", 2}});
  try {
    load();
    FAIL() << "nothing was said";
  } catch (const ConfigError& error) {
    ASSERT_EQ(error.problems().size(), 1U);
    EXPECT_NE(error.problems()[0].where.find("column y: client 1"), std::string::npos) << error.what();
    EXPECT_EQ(error.problems()[0].what,
              "found 2 training rows with the label \"1\", accepted: none, or at least 3 (data.min_cell)");
  }
  EXPECT_THROW(file_facts(spec_.sources[1], spec_, TargetKind::binary, 1, 7), ConfigError);
}

TEST_F(MinCell, EveryClientDecidesAsIfItWereAlone) {
  spec_.test_fraction = 0.25;
  client("town,flag,y",
         {{"bern,0,0", 3}, {"bonn,0,1", 3}, {"oslo,1,0", 9}, {"oslo,0,1", 9}, {"rome,1,0", 8}, {"rome,0,1", 9}});
  client("town,flag,y", {{"bern,0,0", 9}, {"bern,1,1", 9}, {"rome,0,0", 2}, {"rome,0,1", 7}, {"zug,0,1", 1}});
  const Federation all = load();
  ColumnFacts agreed;
  std::set<std::string> towns;
  for (std::uint32_t i = 0; i < 2; ++i) {
    agreed = column_facts(spec_.sources[i], spec_, TargetKind::binary, i, 7);
    towns.insert(agreed.levels["town"].begin(), agreed.levels["town"].end());
  }
  agreed.levels["town"] = {towns.begin(), towns.end()};
  EXPECT_EQ(agreed.levels["town"], all.layout.levels.at("town"));
  EXPECT_FALSE(towns.contains("zug")) << "a level that is rare everywhere is not told";
  for (std::uint32_t i = 0; i < 2; ++i) {
    const Federation part = load_part(spec_.sources[i], spec_, agreed, TargetKind::binary, i, 7);
    EXPECT_EQ(part.feature_names, all.feature_names);
    const Index first = all.train_begin[i];
    ASSERT_EQ(part.train.rows, all.train_begin[i + 1] - first);
    EXPECT_EQ(part.train.x, all.train.part(first, part.train.rows).x) << i;
    EXPECT_EQ(part.train.y, all.train.part(first, part.train.rows).y) << i;
  }
}

}  // namespace
}  // namespace pollen
