#include <gmock/gmock.h>

#include "data/readers.h"
#include "files.h"

namespace pollen::data {
namespace {

using testing::complaint;
using ::testing::ElementsAre;

RawTable parse(const std::string& text, const CsvOptions& options = {}) { return parse_csv(text, options, "t.csv"); }

std::vector<std::string> texts(const RawTable& table, std::size_t column) {
  std::vector<std::string> out;
  for (const std::int32_t code : table.columns[column].code)
    out.push_back(code < 0 ? "" : table.columns[column].texts[static_cast<std::size_t>(code)]);
  return out;
}

TEST(Csv, NumbersAndTextUnderAHeader) {
  const RawTable table = parse("age,sex\n17,male\n1.5e1,female\n+3,male\n-.5,male\n");
  EXPECT_THAT(table.column_names(), ElementsAre("age", "sex"));
  EXPECT_THAT(table.columns[0].number, ElementsAre(17.0, 15.0, 3.0, -0.5));
  EXPECT_THAT(texts(table, 1), ElementsAre("male", "female", "male", "male"));
}

TEST(Csv, QuotesNewlinesAndDoubledQuotes) {
  const RawTable table = parse("\"na,me\",b\r\n\"a \"\"b\"\" c\",1\r\n\"two\nlines\", 2 \r\n\"\"\"\",3");
  EXPECT_THAT(table.column_names(), ElementsAre("na,me", "b"));
  EXPECT_THAT(texts(table, 0), ElementsAre("a \"b\" c", "two\nlines", "\""));
  EXPECT_THAT(table.columns[1].number, ElementsAre(1.0, 2.0, 3.0));
  EXPECT_EQ(table.where(2, "a"), "t.csv: row 5, column a");  // the newline inside quotes counts as a line
}

TEST(Csv, ByteOrderMarkBlankLinesAndOldLineEnds) {
  EXPECT_THAT(parse("\xEF\xBB\xBFx,y\n\n1,2\n\n\n3,4\n").column_names(), ElementsAre("x", "y"));
  EXPECT_THAT(parse("x,y\r1,2\r3,4\r").columns[1].number, ElementsAre(2.0, 4.0));
}

TEST(Csv, SemicolonsAndTabs) {
  EXPECT_THAT(parse("x;y\n1;2\n").columns[1].number, ElementsAre(2.0));
  EXPECT_THAT(parse("x\ty\n1\t2\n").columns[1].number, ElementsAre(2.0));
}

TEST(Csv, WithoutHeaderColumnsAreNumbered) {
  CsvOptions options;
  options.header = false;
  const RawTable table = parse("1,a\n2,b\n", options);
  EXPECT_THAT(table.column_names(), ElementsAre("c1", "c2"));
  EXPECT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.where(0, "c1"), "t.csv: row 1, column c1");
}

TEST(Csv, MissingCells) {
  const RawTable table = parse("x,y\n1,\nNA,2\n?,3\nnan,4\nNaN,5\n\"\",6\n");
  EXPECT_THAT(table.columns[0].code, ElementsAre(-1, -2, -2, -2, -2, -2));
  EXPECT_TRUE(table.columns[1].missing(0));
}

TEST(Csv, CategoricalColumnsKeepCodesAndMergeSpellingsOfANumber) {
  CsvOptions options;
  options.categorical = {"zip"};
  const RawTable table = parse("zip,y\n007,1\n1.0,2\n1,3\n+1,4\nx,5\n", options);
  EXPECT_THAT(texts(table, 0), ElementsAre("007", "1", "1", "1", "x"));
}

TEST(Csv, LimitTakesTheFirstRows) {
  CsvOptions options;
  options.limit = 2;
  EXPECT_EQ(parse("x\n1\n2\n3\nbroken,row\n", options).rows.size(), 2u);
}

TEST(Csv, ProblemsAreCollectedUpToTen) {
  std::string text = "x,y\n";
  for (int r = 0; r < 30; ++r) text += "1\n";
  try {
    parse(text);
    FAIL();
  } catch (const ConfigError& error) {
    ASSERT_EQ(error.problems().size(), 10u);
    EXPECT_EQ(error.problems()[9].where, "t.csv: row 11");
    EXPECT_EQ(error.problems()[9].what, "found 1 fields, accepted: 2");
  }
}

}  // namespace
}  // namespace pollen::data
