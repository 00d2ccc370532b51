// Columns that identify rows or persons are refused with a remedy, and measures are not taken for them.
#include <gmock/gmock.h>

#include <functional>

#include "data/column_summary.h"
#include "files.h"

namespace pollen {
namespace {

using ::testing::AllOf;
using testing::complaint;
using ::testing::ElementsAre;
using testing::Folder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A file of `rows` rows with a column c whose cells are those of `cell`, and x and a label y.
std::string rows_with(int rows, const std::function<std::string(int)>& cell) {
  std::string text = "c,x,y\n";
  for (int r = 0; r < rows; ++r)
    text += cell(r) + "," + std::to_string(0.25 + (7 * r) % 11) + (r % 3 == 0 ? ",no\n" : ",yes\n");
  return text;
}

class Identifiers : public ::testing::Test {
 protected:
  std::string complaint_of(int rows, const std::function<std::string(int)>& cell) {
    spec_.sources = {folder_.write("a.csv", rows_with(rows, cell))};
    const std::string whole = complaint([&] { load_federation(spec_, TargetKind::binary, 1, "a.toml"); });
    // A client of a federation that reads the same file by itself says the same.
    DataSpec site = spec_;
    EXPECT_EQ(complaint([&] { column_facts(spec_.sources[0], site, TargetKind::binary); }), whole);
    return whole;
  }
  Folder folder_;
  DataSpec spec_ = testing::plain("");
};

std::string number(int value) { return std::to_string(value); }

TEST_F(Identifiers, TextWithAboutAsManyLevelsAsRows) {
  const auto name = [](int r) { return "P" + number(r); };
  EXPECT_THAT(complaint_of(60, name),
              AllOf(HasSubstr("a.csv: column c"), HasSubstr("found 60 levels in 60 rows"),
                    HasSubstr("data.exclude = [\"c\"]"), HasSubstr("data.categorical = [\"c\"]")));
  EXPECT_THAT(complaint_of(21, name), HasSubstr("found 21 levels"));
  EXPECT_THAT(complaint_of(10, name), HasSubstr("found 10 levels in 10 rows"));
  EXPECT_THAT(complaint_of(9, name), IsEmpty());
  EXPECT_THAT(complaint_of(40, [&](int r) { return name(r / 2); }), IsEmpty());
  EXPECT_THAT(complaint_of(300, [](int r) { return "city" + number(r % 100); }), IsEmpty());
  EXPECT_THAT(complaint_of(300, [](int r) { return "city" + number(r % 101); }), HasSubstr("found 101 levels"));
  spec_.categorical = {"c"};
  EXPECT_THAT(complaint_of(60, name), IsEmpty());
}

TEST_F(Identifiers, KeysOfWholeNumbers) {
  EXPECT_THAT(complaint_of(40, number),
              AllOf(HasSubstr("a.csv: column c"), HasSubstr("found 40 whole numbers from 0 to 39, no two alike"),
                    HasSubstr("data.exclude = [\"c\"]"), HasSubstr("data.features")));
  EXPECT_THAT(complaint_of(40, [](int r) { return number(4711 + (7 * r) % 40); }), HasSubstr("from 4711 to 4750"));
  EXPECT_THAT(complaint_of(40, [](int r) { return number(100 + r + r / 3); }), HasSubstr("from 100 to 152"));
  EXPECT_THAT(complaint_of(40, [](int r) { return number(3'000'000 + r * r * 1571); }), HasSubstr("no two alike"));
  spec_.features = {"c", "x"};
  EXPECT_THAT(complaint_of(40, number), IsEmpty());
}

TEST_F(Identifiers, MeasuresAreNotKeys) {
  EXPECT_THAT(complaint_of(12, [](int r) { return number(40 + r); }), IsEmpty());                  // twelve ages
  EXPECT_THAT(complaint_of(25, [](int r) { return number(18 + 3 * r); }), IsEmpty());              // spread ages
  EXPECT_THAT(complaint_of(60, [](int r) { return number(18 + (3 * r) % 50); }), IsEmpty());       // ages that recur
  EXPECT_THAT(complaint_of(20, [](int r) { return number(40 + (7 * r) % 23); }), IsEmpty());       // twenty ages
  EXPECT_THAT(complaint_of(40, [](int r) { return number(90'000 + r * 9'101); }), IsEmpty());      // wages
  EXPECT_THAT(complaint_of(40, [](int r) { return number(120'000 + r * 18'203); }), IsEmpty());    // prices of houses
  EXPECT_THAT(complaint_of(40, [](int r) { return number(3'100'000 + r * 91'370); }), IsEmpty());  // incomes in yen
  EXPECT_THAT(complaint_of(40, [](int r) { return number(r) + ".5"; }), IsEmpty());
  EXPECT_THAT(complaint_of(40, [](int r) { return number(r - 20); }), IsEmpty());
}

TEST_F(Identifiers, TheTargetIsNoKey) {
  spec_.sources = {folder_.write("a.csv", rows_with(40, number))};
  spec_.target = "c";
  EXPECT_EQ(load_federation(spec_, TargetKind::real, 1, "").train.y.size(), 40U);
}

TEST_F(Identifiers, ANameMakesNumbersThatDifferAKey) {
  std::string text = rows_with(30, [](int r) { return number(17 + 13 * r); });
  spec_.sources = {folder_.write("a.csv", testing::replaced(text, "c,x,y", "patientId,x,y"))};
  EXPECT_THAT(complaint([&] { load_federation(spec_, TargetKind::binary, 1, ""); }), HasSubstr("column patientId"));
}

TEST_F(Identifiers, DatesAndTimes) {
  EXPECT_THAT(complaint_of(9, [](int r) { return "2021-03-0" + number(1 + r); }),
              AllOf(HasSubstr("column c"), HasSubstr("found 9 different dates such as \"2021-03-01\""),
                    HasSubstr("the days since"), HasSubstr("data.exclude = [\"c\"]")));
  EXPECT_THAT(complaint_of(9, [](int) { return "05.03.2021"; }), HasSubstr("dates such as \"05.03.2021\""));
  EXPECT_THAT(complaint_of(9, [](int r) { return "12:3" + number(r); }),
              HasSubstr("times of the day such as \"12:30\""));
  EXPECT_THAT(complaint_of(9, [](int r) { return "2021030" + number(1 + r); }),
              HasSubstr("dates such as \"20210301\""));
}

TEST_F(Identifiers, EveryFileIsCheckedByItself) {
  spec_.sources = {folder_.write("a.csv", rows_with(40, number)), folder_.write("b.csv", rows_with(40, number))};
  const std::string why = complaint([&] { load_federation(spec_, TargetKind::binary, 1, ""); });
  EXPECT_THAT(why, AllOf(HasSubstr("a.csv: column c: found 40"), HasSubstr("b.csv: column c: found 40")));
}

TEST(Dates, WrittenInManyWays) {
  using data::is_date;
  using data::is_time;
  for (const std::string_view text :
       {"2021-03-05", "2021/3/5", "2021.03.05", "05.03.2021", "5/3/21", "12/31/2021", "05-Mar-2021", "5 March 2021",
        "2021-03-05 12:30", "2021-03-05T12:30:15.25Z", "2021-03-05T12:30:15+01:00"})
    EXPECT_TRUE(is_date(text)) << text;
  for (const std::string_view text : {"", "2021", "2021-03", "1-2-3", "2021-13-05", "32.13.2021", "10-11", "1.2.3",
                                      "2021-03-05x", "red", "555-01-2345", "1 2 2021", "192.168.10.12"})
    EXPECT_FALSE(is_date(text)) << text;
  for (const std::string_view text : {"12:30", "7:05", "12:30:15", "12:30:15.5", "7:05 PM"})
    EXPECT_TRUE(is_time(text)) << text;
  for (const std::string_view text : {"", "12", "5:1", "25:00", "12:60", "12:30x", ":30"})
    EXPECT_FALSE(is_time(text)) << text;
  EXPECT_TRUE(is_date(20210305.0));
  EXPECT_FALSE(is_date(20211305.0));
  EXPECT_FALSE(is_date(20210305.5));
}

class Exclude : public Identifiers {};

TEST_F(Exclude, ColumnsAreNotRead) {
  spec_.sources = {folder_.write("a.csv", "x,key,y\n1,\"a\",no\n2,b,yes\n3,7,no\n")};
  spec_.exclude = {"key"};
  const Federation data = load_federation(spec_, TargetKind::binary, 1, "");
  EXPECT_THAT(data.feature_names, ElementsAre("x"));
  EXPECT_THAT(column_facts(spec_.sources[0], spec_, TargetKind::binary).columns, ElementsAre("x"));
  spec_.exclude = {"key", "y"};  // the target is the last column that is read
  spec_.intercept = true;
  EXPECT_EQ(load_federation(spec_, TargetKind::real, 1, "").layout.target, "x");
}

TEST_F(Exclude, NamesThatNothingHasOrThatAreUsed) {
  spec_.sources = {folder_.write("a.csv", "x,key,y\n1,a,no\n2,b,yes\n")};
  spec_.exclude = {"kay"};
  EXPECT_THAT(complaint([&] { load_federation(spec_, TargetKind::binary, 1, "a.toml"); }),
              AllOf(HasSubstr("a.toml: data.exclude"), HasSubstr("\"kay\""), HasSubstr("mean \"key\"?")));
  spec_.exclude = {"key"};
  spec_.categorical = {"key"};
  EXPECT_THAT(complaint([&] { load_federation(spec_, TargetKind::binary, 1, "a.toml"); }),
              AllOf(HasSubstr("data.exclude"), HasSubstr("data.categorical names, too")));
}

TEST_F(Exclude, ClientsMayHaveKeysOfTheirOwn) {
  spec_.sources = {folder_.write("a.csv", "x,key,y\n1,a,no\n2,b,yes\n"),
                   folder_.write("b.csv", "nr,y,x\n1,no,1\n2,yes,2\n")};
  spec_.exclude = {"key", "nr"};
  spec_.target = "y";
  EXPECT_THAT(load_federation(spec_, TargetKind::binary, 1, "").feature_names, ElementsAre("x"));
  EXPECT_THAT(column_facts(spec_.sources[1], spec_, TargetKind::binary).columns, ElementsAre("x"));
}

TEST_F(Exclude, BuiltInColumns) {
  spec_.sources = {"titanic"};
  spec_.partition = "iid";
  spec_.exclude = {"class", "age"};
  EXPECT_THAT(load_federation(spec_, TargetKind::binary, 1, "").feature_names, ElementsAre("sex=male"));
}

}  // namespace
}  // namespace pollen
