// The texts by which a ledger tells rows apart: they are those of the file, whatever a study does with its columns.
#include <gmock/gmock.h>

#include "files.h"

namespace pollen {
namespace {

using ::testing::HasSubstr;

class RowTexts : public ::testing::Test {
 protected:
  // Returns the texts of a file's rows, the last of which says what they are.
  std::vector<std::string> texts(const std::string& csv, const std::string& key = "") {
    const std::string path = folder_.write("a.csv", csv);
    spec_.sources = {path};
    std::vector<std::string> all;
    const RowText each{key, [&](std::string_view text) { all.emplace_back(text); }};
    all.push_back(file_facts(path, spec_, TargetKind::binary, 0, 0, each).told_apart);
    return all;
  }
  testing::Folder folder_;
  DataSpec spec_ = testing::plain("");
};

const std::string kRows = "patient,x,y\n007,1.50,no\n008,2,yes\n009,,no\n010,4,yes\n";

TEST_F(RowTexts, DoNotDependOnTheStudy) {
  spec_.missing = "drop";
  const auto whole = texts(kRows);
  ASSERT_EQ(whole.size(), 4U) << "the row without a number is not used";
  EXPECT_EQ(whole.back(), "whole rows of patient, x, y");
  spec_.exclude = {"patient"};
  EXPECT_EQ(texts(kRows), whole) << "a column that the study leaves out still tells rows apart";
  spec_.exclude = {};
  spec_.categorical = {"patient"};
  EXPECT_EQ(texts(kRows), whole);
  EXPECT_EQ(texts("y,x,patient\r\n\"no\",1.5,7\r\nyes,2.0,8\r\nno,,9\r\nyes,4,10\r\n"), whole)
      << "a program that writes the file anew may change the form of numbers and the order of columns";
}

TEST_F(RowTexts, OfAKeyThatTheStudyExcludes) {
  spec_.missing = "mean";
  spec_.exclude = {"patient"};
  const auto keys = texts(kRows, "patient");
  ASSERT_EQ(keys.size(), 5U);
  EXPECT_NE(keys[0], keys[1]);
  EXPECT_EQ(keys.back(), "the column \"patient\"");
  EXPECT_THAT(testing::complaint([&] { texts(kRows, "patents"); }),
              HasSubstr("a.csv: row_key: found \"patents\", accepted: patient, x, y; did you mean \"patient\"?"));
}

TEST_F(RowTexts, WithoutAHeader) {
  spec_.header = false;
  EXPECT_EQ(texts("1.5,no\n2,yes\n").back(), "whole rows of c1, c2");
  EXPECT_EQ(texts("1.5,no\n2,yes\n", "c1").size(), 3U);
}

TEST_F(RowTexts, OfRowsWithoutColumns) {
  const std::string path = folder_.write("a.svm", "1 1:0.5 3:2\n0 2:1\n1 1:0.5 3:2\n");
  std::vector<std::string> all;
  const RowText each{"", [&](std::string_view text) { all.emplace_back(text); }};
  file_facts(path, spec_, TargetKind::binary, 0, 0, each);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0], all[2]);
  EXPECT_NE(all[0], all[1]);
}

}  // namespace
}  // namespace pollen
