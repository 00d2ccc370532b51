#include <cmath>

#include "files.h"

namespace pollen {
namespace {

using testing::cell;
using testing::Folder;

DataSpec spec_of(const std::string& path, Index clients) {
  DataSpec spec;
  spec.sources = {path};
  spec.clients = clients;
  spec.test_fraction = 0.0;
  return spec;
}

TEST(Standardize, PooledMeanAndSdWithDivisorN) {
  const Folder folder;
  const std::string path = folder.write("a.csv", "x,k,y\n1,5,0\n2,5,0\n3,5,0\n6,5,0\n");
  DataSpec spec = spec_of(path, 2);
  spec.constant = "keep";
  const Federation federation = load_federation(spec, TargetKind::real, 1, "");
  double sum = 0.0;
  double square = 0.0;
  for (Index r = 0; r < 4; ++r) {
    EXPECT_EQ(cell(federation.train, r, 0), 1.0);  // the intercept
    EXPECT_EQ(cell(federation.train, r, 2), 5.0);  // a constant column that stays is left unchanged
    sum += cell(federation.train, r, 1);
    square += std::pow(cell(federation.train, r, 1), 2);
  }
  EXPECT_NEAR(sum, 0.0, 1e-15);
  EXPECT_NEAR(square, 4.0, 1e-14);
  // The mean is 3 and the variance (4 + 1 + 0 + 9)/4.
  DataSpec one = spec_of(path, 1);
  const Federation whole = load_federation(one, TargetKind::real, 1, "");
  EXPECT_DOUBLE_EQ(cell(whole.train, 0, 1), -2.0 / std::sqrt(3.5));
  EXPECT_DOUBLE_EQ(cell(whole.train, 3, 1), 3.0 / std::sqrt(3.5));
}

TEST(Standardize, NothingCancelsFarFromZero) {
  const Folder folder;
  std::string text = "x,k,y\n";
  for (int r = 0; r < 1000; ++r) text += std::to_string(1'000'000'000 + r % 2) + ",0.1,0\n";
  DataSpec spec = spec_of(folder.write("a.csv", text), 7);
  spec.constant = "keep";
  const Federation federation = load_federation(spec, TargetKind::real, 1, "");
  for (Index r = 0; r < 1000; ++r) {
    EXPECT_NEAR(std::abs(cell(federation.train, r, 1)), 1.0, 1e-6);  // doubles near 1e9 are 1.2e-7 apart
    EXPECT_EQ(cell(federation.train, r, 2), 0.1);
  }
}

TEST(Standardize, TestRowsUseTheTrainingRowsNumbers) {
  const Folder folder;
  std::string text = "x,y\n";
  for (int r = 0; r < 100; ++r) text += std::to_string(r * r) + ",0\n";
  DataSpec spec = spec_of(folder.write("a.csv", text), 3);
  spec.test_fraction = 0.25;
  const Federation scaled = load_federation(spec, TargetKind::real, 1, "");
  spec.standardize = false;
  const Federation raw = load_federation(spec, TargetKind::real, 1, "");
  double mean = 0.0;
  double variance = 0.0;
  const auto n = static_cast<double>(raw.train.rows);
  for (Index r = 0; r < raw.train.rows; ++r) mean += cell(raw.train, r, 1) / n;
  for (Index r = 0; r < raw.train.rows; ++r) variance += std::pow(cell(raw.train, r, 1) - mean, 2) / n;
  for (Index r = 0; r < raw.test.rows; ++r)
    EXPECT_NEAR(cell(scaled.test, r, 1), (cell(raw.test, r, 1) - mean) / std::sqrt(variance), 1e-12);
}

TEST(Standardize, SetUpBitsAreWhatIsSent) {
  const Folder folder;
  const std::string path = folder.write("a.csv", "u,v,y\n1,2,0\n2,2,0\n3,5,0\n6,5,0\n");
  EXPECT_EQ(load_federation(spec_of(path, 2), TargetKind::real, 1, "").setup_bits, 2 * 64 * (5 + 4));
  DataSpec spec = spec_of(path, 2);
  spec.standardize = false;
  EXPECT_EQ(load_federation(spec, TargetKind::real, 1, "").setup_bits, 2 * 64 * 5);  // no column is constant
  spec.constant = "keep";
  EXPECT_EQ(load_federation(spec, TargetKind::real, 1, "").setup_bits, 0);
}

TEST(Standardize, SetUpBitsOfLevelsAndLabels) {
  const Folder folder;
  const std::string one = folder.write("one.csv", "c,y\nred,0\nred,1\n");
  const std::string two = folder.write("two.csv", "c,y\nblue,0\nred,1\n");
  DataSpec spec = testing::plain(one);
  spec.sources = {one, two};
  // Clients send red, and blue and red; both receive blue and red. Both send labels 0 and 1 and receive them. A level
  // costs its bytes and one more.
  const int levels = 4 + (5 + 4) + 2 * (5 + 4);
  const int labels = 4 + 4 + 2 * 4;
  EXPECT_EQ(load_federation(spec, TargetKind::binary, 1, "").setup_bits, 8 * (levels + labels));
  spec.levels = {{"c", {"red", "blue"}}, {"y", {"0", "1"}}};
  EXPECT_EQ(load_federation(spec, TargetKind::binary, 1, "").setup_bits, 0);
}

TEST(Standardize, ValuesTooLargeAreToldByColumn) {
  const Folder folder;
  const std::string path = folder.write("a.csv", "x,y\n1e300,0\n-1e300,0\n");
  EXPECT_EQ(
      testing::complaint([&] { load_federation(spec_of(path, 1), TargetKind::real, 1, ""); }),
      path + ": column x: found values too large to standardize, accepted: below 1e150, or data.standardize = false");
}

TEST(Tables, RowsArePaddedWithZerosAndAligned) {
  const Folder folder;
  const Federation federation =
      load_federation(spec_of(folder.write("a.csv", "a,b,c,y\n1,2,3,0\n4,5,9,0\n"), 1), TargetKind::real, 1, "");
  EXPECT_EQ(federation.train.columns, 4);
  EXPECT_EQ(federation.train.stride, 8);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(federation.train.x.data()) % 64, 0u);
  for (Index r = 0; r < 2; ++r)
    for (Index j = 4; j < 8; ++j) EXPECT_EQ(federation.train.x[static_cast<std::size_t>(r * 8 + j)], 0.0);
}

}  // namespace
}  // namespace pollen
