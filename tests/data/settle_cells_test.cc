// Cells of text among numbers: decimal commas, words for missing values, and bytes that are not UTF-8.
#include "data/settle_cells.h"

#include <gmock/gmock.h>

#include "files.h"

namespace pollen {
namespace {

using ::testing::AllOf;
using testing::cell;
using testing::complaint;
using ::testing::ElementsAre;
using testing::Folder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Cells : public ::testing::Test {
 protected:
  Federation load(const std::string& text, const std::string& missing = "error") {
    DataSpec spec = testing::plain(folder_.write("a.csv", text));
    spec.missing = missing;
    return load_federation(spec, TargetKind::real, 1, "a.toml");
  }
  std::string complaint_of(const std::string& text) {
    return complaint([&] { load(text); });
  }
  Folder folder_;
};

TEST_F(Cells, DecimalCommasBetweenSemicolons) {
  const Federation data = load("bmi;y\n76,0;1\n+80;2\n-7,25;3\n", "error");
  EXPECT_THAT(data.feature_names, ElementsAre("bmi"));
  EXPECT_THAT((std::vector{cell(data.train, 0, 0), cell(data.train, 1, 0), cell(data.train, 2, 0)}),
              ElementsAre(76.0, 80.0, -7.25));
  ASSERT_EQ(data.notes.size(), 1U);
  EXPECT_THAT(data.notes[0], AllOf(HasSubstr("a.csv: column bmi"), HasSubstr("2 cells"), HasSubstr("\"76,0\" is 76")));
  // The target may have them, too.
  EXPECT_THAT(load("x;y\n1;0,5\n2;1,5\n", "error").train.y, ElementsAre(0.5, 1.5));
}

TEST_F(Cells, CommasThatAreNoDecimals) {
  EXPECT_THAT(complaint_of("bmi,y\n\"76,0\",1\n\"80,5\",2\n"),
              AllOf(HasSubstr("a.csv: column bmi"), HasSubstr("\"76,0\""), HasSubstr("decimal points"),
                    HasSubstr("data.categorical = [\"bmi\"]")));
  EXPECT_THAT(complaint_of("bmi;y\n76,0;1\n80.5;2\n"), HasSubstr("\"76,0\""));  // points and commas in one column
  DataSpec spec = testing::plain(folder_.write("a.csv", "set;y\n1,2;1\n2,3;2\n"));
  spec.categorical = {"set"};
  EXPECT_THAT(load_federation(spec, TargetKind::real, 1, "").feature_names, ElementsAre("set=2,3"));
}

TEST_F(Cells, WordsForMissingValuesAmongNumbers) {
  const std::string text = "age,sex,y\n41,f,1\nN/A,m,2\n52,-,3\n.,m,4\n";
  EXPECT_THAT(complaint_of(text),
              AllOf(HasSubstr("a.csv: row 3, column age"), HasSubstr("2 such cells"), HasSubstr("\"N/A\""),
                    HasSubstr("data.missing"), Not(HasSubstr("categorical"))));
  const Federation data = load(text, "drop");
  EXPECT_EQ(data.train.rows, 2);
  EXPECT_THAT(data.feature_names, ElementsAre("age", "sex=f"));  // among text a dash is a level
  ASSERT_EQ(data.notes.size(), 2U);
  EXPECT_THAT(data.notes[0], AllOf(HasSubstr("column age"), HasSubstr("2 cells such as \"N/A\" count as missing")));
  for (const std::string word : {"N/A", "n/a", "null", "NULL", "-", ".", "None"})
    EXPECT_EQ(load("x,y\n1,1\n2,2\n" + word + ",3\n", "drop").train.rows, 2) << word;
  EXPECT_THAT(complaint_of("x,y\n1,1\n2,2\nunknown,3\n"), HasSubstr("\"unknown\""));
}

TEST_F(Cells, DecimalCommasBesideMissingValues) {
  const Federation data = load("bmi;y\n76,0;1\nn/a;2\n80,5;3\n", "drop");
  EXPECT_EQ(data.train.rows, 2);
  EXPECT_EQ(cell(data.train, 1, 0), 80.5);
}

TEST_F(Cells, BytesThatAreNotUtf8) {
  EXPECT_THAT(complaint_of("x,town,y\n1,K\xf6ln,1\n2,Bonn,2\n"),
              AllOf(HasSubstr("a.csv: row 2, column town"), HasSubstr("not UTF-8 in \"K?ln\""), HasSubstr("iconv")));
  EXPECT_THAT(complaint_of("x,gr\xf6\xdf\x65,y\n1,2,1\n2,3,2\n"), AllOf(HasSubstr("row 1"), HasSubstr("column 2")));
  EXPECT_THAT(complaint_of("x,town,y\n1,Köln,1\n2,Bonn,2\n"), IsEmpty());
  DataSpec spec = testing::plain(folder_.write("a.csv", "x,town,y\n1,K\xf6ln,1\n2,Bonn,2\n"));
  spec.exclude = {"town"};
  EXPECT_THAT(load_federation(spec, TargetKind::real, 1, "").feature_names, ElementsAre("x"));
}

TEST(Utf8, WholeCharactersOnly) {
  using data::is_utf8;
  for (const char* text : {"", "abc", "Åbo", "日本", "😀"}) EXPECT_TRUE(is_utf8(text)) << text;
  for (const char* text : {"\x80", "\xc3", "a\xf6", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80"})
    EXPECT_FALSE(is_utf8(text));
}

}  // namespace
}  // namespace pollen
