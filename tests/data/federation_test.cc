// Tests load_federation as a whole: roles of columns, clients, names, and what depends on the seed.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "files.h"

namespace pollen {
namespace {

using testing::cell;
using testing::complaint;
using ::testing::ElementsAre;
using testing::Folder;
using testing::idx_bytes;
using testing::plain;

TEST(Federation, TargetIsTheLastColumnUnlessNamed) {
  const Folder folder;
  DataSpec spec = plain(folder.write("a.csv", "x,y,z\n1,2,3\n4,5,6\n"));
  EXPECT_THAT(load_federation(spec, TargetKind::real, 1, "").train.y, ElementsAre(3.0, 6.0));
  spec.target = "x";
  const Federation federation = load_federation(spec, TargetKind::real, 1, "");
  EXPECT_THAT(federation.train.y, ElementsAre(1.0, 4.0));
  EXPECT_THAT(federation.feature_names, ElementsAre("y", "z"));
  EXPECT_TRUE(federation.class_names.empty());
}

TEST(Federation, WithoutATargetEveryColumnIsData) {
  const Folder folder;
  DataSpec spec = plain(folder.write("a.csv", "x,y\n1,2\n4,5\n"));
  spec.standardize = spec.intercept = true;
  spec.test_fraction = 0.5;
  const Federation federation = load_federation(spec, TargetKind::none, 1, "");
  EXPECT_THAT(federation.feature_names, ElementsAre("x", "y"));
  EXPECT_EQ(cell(federation.train, 1, 1), 5.0);
  EXPECT_TRUE(federation.train.y.empty());
}

TEST(Federation, LabelsAreSortedAsNumbersWhenTheyAre) {
  const Folder folder;
  const DataSpec numbers = plain(folder.write("a.csv", "x,y\n1,10\n2,9\n3,+1.0\n4,1\n"));
  const Federation federation = load_federation(numbers, TargetKind::classes, 1, "");
  EXPECT_THAT(federation.class_names, ElementsAre("1", "9", "10"));
  EXPECT_THAT(federation.train.y, ElementsAre(2.0, 1.0, 0.0, 0.0));
  const DataSpec text = plain(folder.write("b.csv", "x,y\n1,yes\n2,no\n"));
  EXPECT_THAT(load_federation(text, TargetKind::binary, 1, "").train.y, ElementsAre(1.0, 0.0));
}

TEST(Federation, GivenLevelsNameColumnsThatNoRowHas) {
  const Folder folder;
  DataSpec spec = plain(folder.write("a.csv", "c,y\nb,no\na,yes\n"));
  spec.levels = {{"c", {"z", "b", "a"}}, {"y", {"no", "yes"}}};
  EXPECT_THAT(load_federation(spec, TargetKind::binary, 1, "").feature_names, ElementsAre("c=b", "c=a"));
}

// Sorted by their bytes, "alive" comes before "dead" and "high" before "low".
TEST(Federation, TheFirstGivenLevelIsTheReference) {
  const Folder folder;
  DataSpec spec = plain(folder.write("a.csv", "dose,state\nhigh,dead\nlow,alive\nmid,dead\n"));
  spec.levels = {{"dose", {"low", "mid", " high", "low"}}, {"state", {"dead", "alive"}}};
  const Federation federation = load_federation(spec, TargetKind::binary, 1, "");
  EXPECT_THAT(federation.feature_names, ElementsAre("dose=mid", "dose=high"));
  EXPECT_THAT(federation.class_names, ElementsAre("dead", "alive"));
  EXPECT_THAT(federation.train.y, ElementsAre(0.0, 1.0, 0.0));
  EXPECT_EQ(testing::cell(federation.train, 0, 1), 1.0);  // the row of high
  EXPECT_EQ(testing::cell(federation.train, 1, 0) + testing::cell(federation.train, 1, 1), 0.0);
}

TEST(Federation, CategoricalNumbersAreLevels) {
  const Folder folder;
  DataSpec spec = plain(folder.write("a.csv", "c,y\n10,1\n9,2\n9.0,3\n2,4\n"));
  spec.categorical = {"c"};
  EXPECT_THAT(load_federation(spec, TargetKind::real, 1, "").feature_names, ElementsAre("c=9", "c=10"));
}

TEST(Federation, FeaturesInTheOrderAsked) {
  const Folder folder;
  DataSpec spec = plain(folder.write("a.csv", "p,q,r,y\n1,2,3,4\n"));
  spec.features = {"r", "p"};
  EXPECT_THAT(load_federation(spec, TargetKind::real, 1, "").feature_names, ElementsAre("r", "p"));
}

TEST(Federation, ByColumnMakesAClientOfEachValue) {
  const Folder folder;
  DataSpec spec = plain(folder.write("a.csv", "site,x,y\n10,1,0\n9,2,0\n10,3,0\n9,4,0\n10,5,0\n"));
  spec.partition = "by-column";
  spec.column = "site";
  const Federation federation = load_federation(spec, TargetKind::real, 1, "");
  EXPECT_THAT(federation.client_names.list(), ElementsAre("9", "10"));
  EXPECT_THAT(federation.train_begin, ElementsAre(0, 2, 5));
  EXPECT_THAT(federation.feature_names, ElementsAre("x"));
  EXPECT_EQ(cell(federation.train, 2, 0), 1.0);
}

TEST(Federation, GivenTakesAFileAClientAndItsNameFromTheFile) {
  const Folder folder;
  DataSpec spec = plain(folder.write("north.csv", "x,c,y\n1,a,0\n2,b,1\n"));
  spec.sources.push_back(folder.write("south.csv.gz", testing::gzipped("c,y,x\nc,1,7\n")));
  const Federation federation = load_federation(spec, TargetKind::binary, 1, "");
  EXPECT_THAT(federation.client_names.list(), ElementsAre("north", "south"));
  EXPECT_THAT(federation.feature_names, ElementsAre("x", "c=b", "c=c"));
  EXPECT_EQ(cell(federation.train, 2, 0), 7.0);
  EXPECT_EQ(cell(federation.train, 2, 2), 1.0);
}

TEST(Federation, GivenFilesMustHaveTheSameColumns) {
  const Folder folder;
  DataSpec spec = plain(folder.write("a.csv", "x,y\n1,0\n"));
  spec.sources.push_back(folder.write("b.csv", "x,z\n1,0\n"));
  EXPECT_EQ(complaint([&] { load_federation(spec, TargetKind::real, 1, ""); }),
            spec.sources[1] + ": found a column \"z\", accepted: the columns of " + spec.sources[0] + ": x, y");
  spec.sources[1] = folder.write("c.csv", "x\n1\n");
  EXPECT_EQ(complaint([&] { load_federation(spec, TargetKind::real, 1, ""); }),
            spec.sources[1] + ": found 1 columns, accepted: the 2 of " + spec.sources[0]);
  spec.sources[1] = folder.write("d.csv", "x,y\nword,1\n");
  EXPECT_EQ(complaint([&] { load_federation(spec, TargetKind::real, 1, ""); }),
            spec.sources[1] +
                ": row 2, column x: found \"word\", accepted: a number, or the column in data.categorical if it is "
                "text, or in "
                "data.exclude");
}

TEST(Federation, ImagesByWriter) {
  const Folder folder;
  DataSpec spec = plain(folder.write("t-images-idx3-ubyte", idx_bytes(8, {4, 1, 2}, "abcdefgh")));
  std::string rows;
  for (const std::uint32_t word : {0u, 70u, 1u, 60u, 1u, 70u, 0u, 60u}) rows += testing::big_endian(word);
  spec.labels = folder.write("labels-idx2-int", idx_bytes(12, {4, 2}, rows));
  spec.partition = "by-column";
  spec.column = "label2";
  const Federation federation = load_federation(spec, TargetKind::binary, 1, "");
  EXPECT_THAT(federation.client_names.list(), ElementsAre("60", "70"));
  EXPECT_THAT(federation.train.y, ElementsAre(1.0, 0.0, 0.0, 1.0));
  EXPECT_THAT(federation.feature_names, ElementsAre("pixel1", "pixel2"));
}

class EveryPartition : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryPartition, KeepsEveryRowOnceAndTheSeedDecides) {
  const Folder folder;
  std::string text = "site,id,y\n";
  for (int r = 0; r < 200; ++r) text += fmt::format("s{},{},{}\n", r % 6, r, r % 3);
  DataSpec spec = plain(folder.write("a.csv", text));
  spec.partition = GetParam();
  spec.features = {"id"};
  spec.column = "site";
  spec.clients = 6;
  spec.test_fraction = 0.25;
  const Federation federation = load_federation(spec, TargetKind::classes, 11, "");
  std::vector<double> ids;
  for (const Table* table : {&federation.train, &federation.test})
    for (Index r = 0; r < table->rows; ++r) {
      ids.push_back(cell(*table, r, 0));
      EXPECT_EQ(static_cast<int>(ids.back()) % 3, static_cast<int>(table->y[static_cast<std::size_t>(r)]));
    }
  std::sort(ids.begin(), ids.end());
  ASSERT_EQ(ids.size(), 200u);
  for (std::size_t r = 0; r < 200; ++r) EXPECT_EQ(ids[r], static_cast<double>(r));
  for (std::size_t i = 0; i + 1 < federation.train_begin.size(); ++i) {
    const Index train = federation.train_begin[i + 1] - federation.train_begin[i];
    const Index test = federation.test_begin[i + 1] - federation.test_begin[i];
    EXPECT_GE(train, 1);
    EXPECT_EQ(test, (train + test) / 4);
  }
  EXPECT_EQ(federation.train.x, load_federation(spec, TargetKind::classes, 11, "").train.x);
  EXPECT_NE(federation.train.x, load_federation(spec, TargetKind::classes, 12, "").train.x);
}

INSTANTIATE_TEST_SUITE_P(All, EveryPartition,
                         ::testing::Values("iid", "dirichlet", "label-shards", "label-pairs", "classes-per-client",
                                           "by-column", "given"));

}  // namespace
}  // namespace pollen
