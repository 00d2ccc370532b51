#include <gmock/gmock.h>

#include "files.h"

namespace pollen {
namespace {

using testing::cell;
using testing::complaint;
using ::testing::ElementsAre;
using testing::Folder;
using testing::plain;

TEST(Missing, DropLeavesWholeRowsAndSaysSo) {
  const Folder folder;
  DataSpec spec = plain(folder.write("a.csv", "x,c,y\n1,a,0\n?,b,1\n3,a,NA\n4,b,1\n"));
  spec.missing = "drop";
  const Federation federation = load_federation(spec, TargetKind::binary, 1, "");
  EXPECT_EQ(federation.train.rows, 2);
  EXPECT_EQ(cell(federation.train, 1, 0), 4.0);
  EXPECT_THAT(federation.notes, ElementsAre(spec.sources[0] + ": 2 of 4 rows dropped for missing cells"));
}

TEST(Missing, DropForgetsLevelsOfDroppedRows) {
  const Folder folder;
  DataSpec spec = plain(folder.write("a.csv", "x,c,y\n1,a,0\n?,zebra,1\n3,b,1\n"));
  spec.missing = "drop";
  EXPECT_THAT(load_federation(spec, TargetKind::binary, 1, "").feature_names, ElementsAre("x", "c=b"));
}

TEST(Missing, ColumnsWithoutARoleMayMissCells) {
  const Folder folder;
  DataSpec spec = plain(folder.write("a.csv", "x,junk,y\n1,,0\n2,abc,1\n3,7,1\n"));
  spec.features = {"x"};
  EXPECT_EQ(load_federation(spec, TargetKind::binary, 1, "").train.rows, 3);
}

TEST(Missing, AClientWithoutAWholeRowIsAnError) {
  const Folder folder;
  DataSpec spec = plain(folder.write("a.csv", "x,y\n1,0\n2,1\n"));
  spec.sources.push_back(folder.write("b.csv", "x,y\n?,0\n?,1\n"));
  spec.missing = "drop";
  EXPECT_EQ(complaint([&] { load_federation(spec, TargetKind::binary, 1, ""); }),
            spec.sources[1] +
                ": found missing cells in all 2 rows, accepted: at least one whole row (data.features leaves "
                "columns out)");
}

TEST(Missing, MeanIsPooledOverClients) {
  const Folder folder;
  DataSpec spec = plain(folder.write("a.csv", "x,z,y\n1,1,0\n?,2,1\n"));
  spec.sources.push_back(folder.write("b.csv", "x,z,y\n2,3,0\n6,?,1\n"));
  spec.missing = "mean";
  const Federation federation = load_federation(spec, TargetKind::binary, 1, "");
  EXPECT_DOUBLE_EQ(cell(federation.train, 1, 0), 3.0);
  EXPECT_DOUBLE_EQ(cell(federation.train, 3, 1), 2.0);
  EXPECT_THAT(federation.notes,
              ElementsAre(spec.sources[0] + ", " + spec.sources[1] + ": 2 missing cells took their column's mean"));
  EXPECT_EQ(federation.setup_bits, 2 * 64 * 3 * 2 + 8 * (4 + 4 + 8));  // counts, sums and means; then labels
}

TEST(Missing, MeanIsOfTrainingRowsOnly) {
  const Folder folder;
  std::string text = "x,y\n?,0\n";
  for (int r = 1; r < 40; ++r) text += std::to_string(r) + "," + std::to_string(r % 2) + "\n";
  DataSpec spec = plain(folder.write("a.csv", text));
  spec.features = {"x"};  // the numbers of the rows are meant
  spec.missing = "mean";
  spec.test_fraction = 0.5;
  const Federation federation = load_federation(spec, TargetKind::binary, 1, "");
  double sum = 0.0;
  double count = 0.0;
  double filled = 0.0;
  const auto visit = [&](const Table& table, bool train) {
    for (Index r = 0; r < table.rows; ++r) {
      const double x = cell(table, r, 0);
      const bool whole = x == static_cast<double>(static_cast<int>(x));
      if (!whole) filled = x;
      if (whole && train) sum += x, count += 1.0;
    }
  };
  visit(federation.train, true);
  visit(federation.test, false);
  ASSERT_NE(filled, 0.0);
  EXPECT_NEAR(filled, sum / count, 1e-12);
}

TEST(Missing, TextAndTargetsHaveNoMean) {
  const Folder folder;
  DataSpec spec = plain(folder.write("a.csv", "c,y\na,0\n?,1\nb,NA\n"));
  spec.missing = "mean";
  EXPECT_EQ(complaint([&] { load_federation(spec, TargetKind::binary, 1, ""); }),
            spec.sources[0] +
                ": row 3, column c: found no value, accepted: a value (text has no mean), or data.missing = "
                "\"drop\"\n" +
                spec.sources[0] +
                ": row 4, column y: found no value, accepted: a value in this column, or data.missing = "
                "\"drop\"");
}

TEST(Missing, AColumnWithoutAnyValueHasNoMean) {
  const Folder folder;
  DataSpec spec = plain(folder.write("a.csv", "x,y\n?,0\n?,1\n"));
  spec.missing = "mean";
  EXPECT_EQ(complaint([&] { load_federation(spec, TargetKind::binary, 1, ""); }),
            spec.sources[0] +
                ": column x: found no training row with a value, accepted: at least one (data.features leaves "
                "columns out)");
}

}  // namespace
}  // namespace pollen
