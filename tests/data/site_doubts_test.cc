// Mistakes that show when clients' files are compared.
#include "data/site_doubts.h"

#include <gmock/gmock.h>

#include <cmath>

#include "data/column_handshake.h"
#include "data/row_layout.h"
#include "files.h"

namespace pollen {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::Folder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

ColumnFacts with_levels(std::vector<std::string> sexes) { return {{"sex"}, "y", {{"sex", std::move(sexes)}}, 0}; }

TEST(SiteDoubts, ALevelThatOneClientWritesInAnotherWay) {
  const auto doubts = level_doubts(
      {with_levels({"Female", "Male"}), with_levels({"F", "M"}), with_levels({"Female", "Male"})}, {"a", "b", "c"});
  EXPECT_THAT(doubts, ElementsAre(AllOf(HasSubstr("client b alone has \"F\" in column sex"), HasSubstr("\"Female\"")),
                                  AllOf(HasSubstr("client b alone has \"M\""), HasSubstr("\"Male\""))));
  EXPECT_THAT(level_doubts({with_levels({"Male"}), with_levels({"male "})}, {"a", "b"}),
              ElementsAre(HasSubstr("client b")));
  // Levels that are only rare, blood groups, and codes are no doubts.
  EXPECT_THAT(level_doubts({with_levels({"van", "bike"}), with_levels({"bike", "truck"})}, {"a", "b"}), IsEmpty());
  EXPECT_THAT(level_doubts({with_levels({"A", "0"}), with_levels({"AB", "0"})}, {"a", "b"}), IsEmpty());
  EXPECT_THAT(level_doubts({with_levels({"1", "2"}), with_levels({"10", "2"})}, {"a", "b"}), IsEmpty());
  EXPECT_THAT(level_doubts({with_levels({"a1"}), with_levels({"a", "a1"})}, {"a", "b"}), IsEmpty());
}

TEST(SiteDoubts, AClientHearsOfItsOwnLevelsOnly) {
  const ColumnFacts agreed = with_levels({"F", "Female", "M", "Male"});
  EXPECT_THAT(level_doubts(with_levels({"M", "Female"}), agreed),
              ElementsAre(HasSubstr("column sex: this file has \"M\", where others have \"Male\""),
                          HasSubstr("column sex: this file has \"Female\", where others have \"F\"")));
  EXPECT_THAT(level_doubts(with_levels({"Female", "Male"}), with_levels({"Female", "Male"})), IsEmpty());
}

// Moments of `count` numbers with this mean and standard deviation.
ColumnMoments moments(double count, double mean, double sd) { return {count, {count * mean}, {count * sd * sd}, {}}; }

TEST(SiteDoubts, AColumnInAnotherUnit) {
  const std::vector<ColumnMoments> all = {moments(40, 171, 9), moments(50, 168, 8), moments(60, 1.69, 0.1),
                                          moments(30, 174, 10)};
  EXPECT_THAT(
      unit_doubts(all, {"height"}, {"a", "b", "c", "d"}),
      ElementsAre(AllOf(HasSubstr("client c"), HasSubstr("column height"), HasSubstr("1.69"), HasSubstr("near 100"))));
  // Other means, spreads that make such a factor likely, and few rows are no doubts.
  EXPECT_THAT(unit_doubts({moments(40, 5, 4), moments(50, 50, 45)}, {"income"}, {"a", "b"}), IsEmpty());
  EXPECT_THAT(unit_doubts({moments(40, 30, 3), moments(50, 60, 6)}, {"age"}, {"a", "b"}), IsEmpty());
  EXPECT_THAT(unit_doubts({moments(40, 171, 9), moments(3, 1.7, 0.1)}, {"height"}, {"a", "b"}), IsEmpty());
  EXPECT_THAT(unit_doubts({moments(40, 0.05, 0.22), moments(40, 0.5, 0.5)}, {"sex=m"}, {"a", "b"}), IsEmpty());
}

// A client knows its own moments and the pooled ones, from which those of the others follow.
TEST(SiteDoubts, AClientFindsThatItsUnitDiffers) {
  const std::vector<ColumnMoments> all = {moments(40, 171, 9), moments(50, 168, 8), moments(60, 1.69, 0.1)};
  const ColumnScaling agreed = pooled(all);
  EXPECT_THAT(unit_doubts(all[2], {"height"}, agreed, 90, true),
              ElementsAre(AllOf(HasSubstr("this file has the mean 1.69 in column height"), HasSubstr("169.3"),
                                HasSubstr("near 100"))));
  EXPECT_THAT(unit_doubts(all[0], {"height"}, agreed, 110, true), IsEmpty());
  EXPECT_THAT(unit_doubts(all[0], {"height"}, agreed, 0, true), IsEmpty());  // alone
}

// Where weights are not sizes, a client does not know how many rows the others have.
TEST(SiteDoubts, AClientFindsItsUnitAlsoWhereSizesAreUnknown) {
  for (const double rows : {12.0, 40.0, 150.0, 400.0}) {
    const std::vector<ColumnMoments> all = {moments(rows, 171, 9), moments(50, 168, 8), moments(60, 1.69, 0.1)};
    const ColumnScaling agreed = pooled(all);
    EXPECT_THAT(unit_doubts(all[2], {"height"}, agreed, 120, false),
                ElementsAre(AllOf(HasSubstr("this file has the mean 1.69"), HasSubstr("near 100"))))
        << rows;
    EXPECT_THAT(unit_doubts(all[0], {"height"}, agreed, 2 * rows, false), IsEmpty()) << rows;
    EXPECT_THAT(unit_doubts(all[1], {"height"}, agreed, 100, false), IsEmpty()) << rows;
  }
  // Columns that differ between sites, but are no other unit.
  for (const double mean : {20.0, 60.0, 90.0, 270.0}) {
    const std::vector<ColumnMoments> all = {moments(60, 30, 10), moments(90, mean, 0.5 * mean)};
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_THAT(unit_doubts(all[i], {"income"}, pooled(all), 80, false), IsEmpty()) << mean << " " << i;
  }
}

// Skewed measures have standard deviations like their means, and a factor of 100 shows in both.
TEST(SiteDoubts, ASkewedColumnInAnotherUnit) {
  EXPECT_THAT(unit_doubts({moments(80, 12, 15), moments(80, 9, 11), moments(80, 0.1, 0.12)}, {"crp"}, {"a", "b", "c"}),
              ElementsAre(HasSubstr("client c has the mean 0.1")));
}

std::string patients(const std::string& sexes, double unit, const std::string& labels, int rows) {
  std::string text = "height,sex,state\n";
  for (int r = 0; r < rows; ++r)
    text += std::to_string(unit * (155 + (13 * r) % 37)) + ',' + (r % 2 == 0 ? sexes : "Female") + ',' +
            (r % 3 == 0 ? labels : "alive") + '\n';
  return text;
}

class Sites : public ::testing::Test {
 protected:
  Sites() {
    spec_ = testing::plain("");
    spec_.standardize = true;
    spec_.intercept = true;
    spec_.sources = {folder_.write("a.csv", patients("Male", 1, "dead", 30)),
                     folder_.write("b.csv", patients("M", 0.01, "dead", 30)),
                     folder_.write("c.csv", patients("Male", 1, "alive", 30))};
  }
  Folder folder_;
  DataSpec spec_;
};

TEST_F(Sites, OneRunWithAllFilesNamesTheClients) {
  const auto notes = load_federation(spec_, TargetKind::binary, 1, "").notes;
  EXPECT_THAT(notes, Contains(AllOf(HasSubstr("client b alone has \"M\" in column sex"))));
  EXPECT_THAT(notes, Contains(AllOf(HasSubstr("client b has the mean"), HasSubstr("column height"))));
  EXPECT_THAT(notes, Contains(HasSubstr("client c has one class of state only: alive")));
  EXPECT_EQ(notes.size(), 3U);
}

// The handshake of clients that read their own files finds the same.
TEST_F(Sites, AHandshakeFindsTheSame) {
  ColumnHandshake handshake(spec_, TargetKind::binary, 3);
  const std::vector<std::string> names = {"a", "b", "c"};
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(handshake.take(i, column_facts(spec_.sources[i], spec_, TargetKind::binary)), "");
  EXPECT_TRUE(handshake.agree(names).empty());
  for (std::size_t i = 0; i < 3; ++i) {
    const Federation part = load_part(spec_.sources[i], spec_, *handshake.layout, TargetKind::binary, 0, 1);
    EXPECT_EQ(label_doubts(part).size(), i == 2 ? 1U : 0U);
    EXPECT_EQ(handshake.take(i, moments_of(part, 0)), "");
  }
  EXPECT_TRUE(handshake.agree(names).empty());
  std::vector<std::string> notes = handshake.notes(names),
                           whole = load_federation(spec_, TargetKind::binary, 1, "").notes;
  std::ranges::sort(notes);
  std::ranges::sort(whole);
  EXPECT_EQ(notes, whole);
}

TEST_F(Sites, PartsOfASimulationAreNotCompared) {
  spec_.sources = {spec_.sources[0]};
  spec_.partition = "iid";
  spec_.clients = 25;
  EXPECT_THAT(load_federation(spec_, TargetKind::binary, 1, "").notes, Not(Contains(HasSubstr("one class"))));
}

TEST(Extrapolations, NumbersFarFromTheTrainingRows) {
  const Folder folder;
  std::string text = "age,rare,town,y\n";
  for (int r = 0; r < 200; ++r)
    text += std::to_string(30 + (7 * r) % 40) + (r == 0 ? ",1," : ",0,") + (r == 1 ? "Ulm," : "Bonn,") +
            std::to_string(r % 5) + "\n";
  DataSpec spec = testing::plain(folder.write("a.csv", text));
  spec.standardize = true;
  spec.intercept = true;
  const Federation trained = load_federation(spec, TargetKind::real, 1, "");
  const RowLayout layout = layout_of(trained, spec, TargetKind::real);
  const std::string fine = folder.write("fine.csv", "age,rare,town\n20,1,Ulm\n85,0,Bonn\n");
  EXPECT_THAT(extrapolations(load_rows(fine, layout, {}), layout, "fine.csv"), IsEmpty());
  const std::string days = folder.write("days.csv", "age,rare,town\n18250,0,Ulm\n20000,0,Bonn\n40,2,Ulm\n");
  EXPECT_THAT(extrapolations(load_rows(days, layout, {}), layout, "days.csv"),
              ElementsAre(AllOf(HasSubstr("days.csv: column age: found 20000 (prediction 2 and 1 more)"),
                                HasSubstr("extrapolations")),
                          HasSubstr("column rare: found 2 (prediction 3)")));
}

}  // namespace
}  // namespace pollen
