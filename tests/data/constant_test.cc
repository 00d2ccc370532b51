// Columns that are the same in all training rows are left out of the tables, in the layout and in a store, and later
// rows may still have them.
#include <gmock/gmock.h>

#include "data/row_layout.h"
#include "data/store.h"
#include "files.h"

namespace pollen {
namespace {

using testing::cell;
using testing::complaint;
using ::testing::ElementsAre;
using testing::Folder;
using ::testing::HasSubstr;

constexpr const char* kRows = "year,x,colour,y\n2020,1,red,0\n2020,2,blue,1\n2020,3,red,0\n2020,6,blue,1\n";

DataSpec spec_of(const std::string& path, Index clients = 2) {
  DataSpec spec;
  spec.sources = {path};
  spec.clients = clients;
  spec.test_fraction = 0.0;
  return spec;
}

Federation load(const DataSpec& spec) { return load_federation(spec, TargetKind::real, 1, "t.toml"); }

TEST(Constant, ColumnsAreLeftOutWithAWarning) {
  const Folder folder;
  DataSpec spec = spec_of(folder.write("a.csv", kRows));
  for (const bool standardize : {true, false}) {
    spec.standardize = standardize;
    const Federation f = load(spec);
    EXPECT_THAT(f.feature_names, ElementsAre("intercept", "x", "colour=red"));
    EXPECT_EQ(f.train.columns, 3);
    EXPECT_THAT(f.scaling.dropped, ElementsAre(0));
    EXPECT_EQ(f.scaling.mean.size(), standardize ? 2U : 0U);
    EXPECT_THAT(f.notes, ElementsAre("left out, because all training rows have the same value there (data.constant = "
                                     "\"drop\"): year (2020)"));
    double sum = 0;
    for (Index r = 0; r < 4; ++r) sum += cell(f.train, r, 1);
    EXPECT_NEAR(sum, standardize ? 0 : 12, 1e-12);
    for (Index r = 0; r < 4; ++r)
      for (Index j = 3; j < 8; ++j) EXPECT_EQ(f.train.view().row(r)[j], 0) << "padding";
  }
}

TEST(Constant, AColumnThatDiffersBetweenClientsOnlyIsKept) {
  const Folder folder;
  DataSpec spec = spec_of("");
  spec.sources = {folder.write("a.csv", "site,x,y\n1,1,0\n1,2,0\n"), folder.write("b.csv", "site,x,y\n2,3,0\n2,5,0\n")};
  spec.partition = "given";
  EXPECT_THAT(load(spec).feature_names, ElementsAre("intercept", "site", "x"));
  EXPECT_TRUE(load(spec).notes.empty());
}

// The level green has no row, every row has the ward north, and every town is one and the same.
TEST(Constant, LevelsThatNoTrainingRowHas) {
  const Folder folder;
  DataSpec spec = spec_of(folder.write("a.csv", "town,ward,colour,y\nrome,n,red,0\nrome,n,blue,1\nrome,n,red,1\n"), 1);
  spec.levels = {{"colour", {"blue", "green", "red"}}, {"ward", {"n", "s"}}};
  const Federation f = load(spec);
  EXPECT_THAT(f.feature_names, ElementsAre("intercept", "colour=red"));
  ASSERT_EQ(f.notes.size(), 1U);
  EXPECT_THAT(f.notes[0], HasSubstr("town (\"rome\"), ward=s (0), colour=green (0)"));
  // Later rows need no ward. A level without training rows is predicted like the reference level.
  const RowLayout layout = layout_of(f, spec, TargetKind::real);
  EXPECT_EQ(layout.feature_names(), f.feature_names);
  EXPECT_EQ(parse_layout(to_json(layout), "e.json"), layout);
  const Table rows = load_rows(folder.write("b.csv", "town,colour\nrome,green\nrome,red\nrome,blue\n"), layout, {});
  EXPECT_EQ(rows.columns, 2);
  EXPECT_EQ(cell(rows, 0, 1), cell(rows, 2, 1));
  EXPECT_GT(cell(rows, 1, 1), cell(rows, 0, 1));
}

// Without rows of the reference level the columns of the other levels sum to the intercept.
TEST(Constant, ALevelWithRowsTakesTheReferencesPlace) {
  const Folder folder;
  DataSpec spec = spec_of(folder.write("a.csv", "x,colour,y\n1,red,0\n2,blue,1\n3,red,0\n6,blue,1\n"));
  spec.levels = {{"colour", {"green", "brown", "blue", "red"}}};
  const Federation f = load(spec);
  EXPECT_THAT(f.feature_names, ElementsAre("intercept", "x", "colour=red"));
  EXPECT_THAT(f.notes, ElementsAre(HasSubstr("colour=brown (0)"),
                                   "no training row has colour=green, so blue takes its place as the reference level"));
  const RowLayout layout = layout_of(f, spec, TargetKind::real);
  EXPECT_EQ(layout.feature_names(), f.feature_names);
  const Table rows = load_rows(folder.write("b.csv", "x,colour\n1,green\n1,blue\n1,red\n"), layout, {});
  EXPECT_EQ(cell(rows, 0, 2), cell(rows, 1, 2));
  EXPECT_NE(cell(rows, 0, 2), cell(rows, 2, 2));
  spec.constant = "error";
  EXPECT_THAT(complaint([&] { load(spec); }),
              HasSubstr("column colour: found no training row with its reference level \"green\", accepted: "
                        "data.levels that begin with a level that rows have, such as \"blue\""));
  spec.constant.reset();
  spec.intercept = false;
  EXPECT_THAT(load(spec).feature_names, ElementsAre("x", "colour=blue", "colour=red"));
}

TEST(Constant, LaterRowsMayHaveTheColumnOrNot) {
  const Folder folder;
  DataSpec spec = spec_of(folder.write("a.csv", "x,year,z,y\n1,7,5,0\n,7,6,0\n4,7,5,0\n7,7,5,0\n"), 1);
  spec.missing = "mean";
  const Federation f = load(spec);
  const RowLayout layout = parse_layout(to_json(layout_of(f, spec, TargetKind::real)), "e.json");
  EXPECT_EQ(layout.fill.size(), 2U);
  const Table with = load_rows(folder.write("b.csv", "year,z,x\n1999,5,4\n1999,6,\n"), layout, {});
  const Table without = load_rows(folder.write("c.csv", "x,z\n4,5\n,6\n"), layout, {});
  EXPECT_TRUE(std::ranges::equal(with.x, without.x));
  EXPECT_NEAR(cell(with, 0, 1), cell(with, 1, 1), 1e-12);  // a missing x becomes the mean of 1, 4, 7
}

TEST(Constant, TestRowsLoseTheColumnToo) {
  const Folder folder;
  DataSpec spec = spec_of(folder.write("a.csv", kRows));
  spec.test_source = folder.write("t.csv", "colour,x,year,y\nblue,2,1999,0\n");
  const Federation f = load(spec);
  EXPECT_EQ(f.test.columns, 3);
  Index same = 0;
  for (Index r = 0; r < 4; ++r)
    same += cell(f.train, r, 1) == cell(f.test, 0, 1) && cell(f.train, r, 2) == cell(f.test, 0, 2) ? 1 : 0;
  EXPECT_EQ(same, 1);
}

TEST(Constant, IsAnErrorIfAskedFor) {
  const Folder folder;
  DataSpec spec = spec_of(folder.write("a.csv", "year,x,town,y\n2020,1,rome,0\n2020,2,rome,1\n"), 1);
  spec.constant = "error";
  const std::string said = complaint([&] { load(spec); });
  EXPECT_THAT(said, HasSubstr("a.csv: column town: found \"rome\" in all training rows, accepted: two values or more"));
  EXPECT_THAT(said, HasSubstr("a.csv: column year: found 2020 in all training rows"));
  spec.features = {"x"};
  EXPECT_EQ(complaint([&] { load(spec); }), "");
  spec.constant = "no";
  EXPECT_THAT(complaint([&] { load(spec); }), HasSubstr("t.toml: data.constant: found \"no\", accepted: drop, error"));
}

TEST(Constant, StaysIfAskedForAndIsTheInterceptIfThereIsNone) {
  const Folder folder;
  DataSpec spec = spec_of(folder.write("a.csv", "one,zero,x,y\n1,0,3,0\n1,0,4,1\n"), 1);
  spec.constant = "keep";
  EXPECT_THAT(load(spec).feature_names, ElementsAre("intercept", "one", "zero", "x"));
  EXPECT_EQ(cell(load(spec).train, 0, 1), 1);
  EXPECT_TRUE(load(spec).notes.empty());
  spec.constant.reset();
  spec.intercept = false;
  EXPECT_THAT(load(spec).feature_names, ElementsAre("one", "x"));
  spec.features = {"zero"};
  EXPECT_THAT(complaint([&] { load(spec); }), HasSubstr("found no column that differs between training rows"));
}

TEST(Constant, OfSparseRows) {
  const Folder folder;
  const std::string file = folder.write("a.libsvm", "1 1:0.5 4:2\n0 4:1\n1 1:3\n");
  DataSpec spec = spec_of(file, 1);
  const Federation f = load_federation(spec, TargetKind::binary, 1, "");
  EXPECT_THAT(f.feature_names, ElementsAre("intercept", "x1", "x4"));
  const RowLayout layout = parse_layout(to_json(layout_of(f, spec, TargetKind::binary)), "e.json");
  EXPECT_EQ(layout.width, 4);
  EXPECT_THAT(layout.dropped, ElementsAre(1, 2));
  EXPECT_EQ(layout.feature_names(), f.feature_names);
  EXPECT_EQ(load_rows(folder.write("b.libsvm", "1 2:7\n"), layout, {}).columns, 3);
}

TEST(Constant, PixelsStay) {
  const Folder folder;
  folder.write("train-labels-idx1-ubyte", testing::idx_bytes(8, {2}, std::string{3, 7}));
  const std::string images = folder.write("train-images-idx3-ubyte", testing::idx_bytes(8, {2, 1, 2}, "abcb"));
  EXPECT_EQ(load_federation(spec_of(images, 1), TargetKind::binary, 1, "").train.columns, 3);
}

TEST(Constant, AStoreHasWhatIsLeft) {
  const Folder folder;
  DataSpec spec = spec_of(folder.write("a.csv", kRows));
  spec.levels = {{"colour", {"blue", "green", "red"}}};
  convert_to_store({spec, TargetKind::real, 1, "", "[data]\n"}, folder.path("a.pollen"));
  check_store(folder.path("a.pollen"));
  DataSpec stored;
  stored.sources = {folder.path("a.pollen")};
  const Federation a = load(spec), b = load(stored);
  EXPECT_EQ(a.feature_names, b.feature_names);
  EXPECT_TRUE(a.train.x == b.train.x);
  EXPECT_EQ(a.scaling.dropped, b.scaling.dropped);
  EXPECT_EQ(a.notes, b.notes);
  EXPECT_EQ(layout_of(a, spec, TargetKind::real), layout_of(b, stored, TargetKind::real));
}

// Every client sends its count, sums and squares and receives which column is left out, with its value.
TEST(Constant, FindingThemCountsAsSetUp) {
  const Folder folder;
  DataSpec spec = spec_of(folder.write("a.csv", "k,x,y\n5,1,0\n5,2,0\n5,3,0\n5,6,0\n"));
  spec.standardize = false;
  EXPECT_EQ(load(spec).setup_bits, 2 * 64 * (5 + 2));
  spec.constant = "keep";
  EXPECT_EQ(load(spec).setup_bits, 0);
}

}  // namespace
}  // namespace pollen
