#include "data/builtin.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "files.h"

namespace pollen {
namespace {

using testing::cell;
using ::testing::ElementsAre;

TEST(Titanic, HasThePublishedTotals) {
  const data::RawTable table = data::titanic();
  std::map<std::string, int> totals;
  for (const data::Column& column : table.columns)
    for (const std::int32_t code : column.code) ++totals[column.texts[static_cast<std::size_t>(code)]];
  EXPECT_EQ(table.rows.size(), 2201u);
  const std::map<std::string, int> published{{"1st", 325},   {"2nd", 285},    {"3rd", 706},   {"crew", 885},
                                             {"male", 1731}, {"female", 470}, {"child", 109}, {"adult", 2092},
                                             {"no", 1490},   {"yes", 711}};
  EXPECT_EQ(totals, published);
}

TEST(Titanic, IsOneHotWithoutTheFirstLevels) {
  DataSpec spec;
  spec.sources = {"titanic"};
  const Federation federation = load_federation(spec, TargetKind::binary, 1, "");
  EXPECT_THAT(federation.feature_names,
              ElementsAre("intercept", "class=2nd", "class=3rd", "class=crew", "sex=male", "age=child"));
  EXPECT_THAT(federation.class_names, ElementsAre("no", "yes"));
  EXPECT_EQ(federation.clients(), 10);
  EXPECT_EQ(federation.train.rows + federation.test.rows, 2201);
  EXPECT_TRUE(federation.notes.empty());
}

DataSpec synthetic(const std::string& name) {
  DataSpec spec;
  spec.sources = {name};
  spec.clients = 30;
  spec.dimension = 20;
  return spec;
}

TEST(SyntheticGaussian, HasItsOwnClientsAndNoTarget) {
  const Federation federation = load_federation(synthetic("synthetic-gaussian"), TargetKind::none, 7, "");
  EXPECT_EQ(federation.clients(), 30);
  EXPECT_EQ(federation.train.columns, 20);
  EXPECT_EQ(federation.test.rows, 0);
  EXPECT_TRUE(federation.train.y.empty());
  EXPECT_EQ(federation.feature_names.front(), "x1");
  EXPECT_EQ(federation.client_names.list().back(), "30");
  EXPECT_EQ(federation.setup_bits, 0);
  for (Index i = 0; i < 30; ++i) {
    EXPECT_GE(federation.train_rows(i), 10);
    EXPECT_LE(federation.train_rows(i), 200);
  }
}

// Client means have sd sqrt(25 + 1/N_i) and rows have sd 1, pooled over 30 × 20 means and about 60000 cells.
TEST(SyntheticGaussian, HasTheLawItClaims) {
  const Federation federation = load_federation(synthetic("synthetic-gaussian"), TargetKind::none, 3, "");
  double between = 0.0;
  double within = 0.0;
  double freedom = 0.0;
  for (std::size_t i = 0; i < 30; ++i) {
    const Index from = federation.train_begin[i];
    const Index to = federation.train_begin[i + 1];
    for (Index j = 0; j < 20; ++j) {
      double mean = 0.0;
      for (Index r = from; r < to; ++r) mean += cell(federation.train, r, j) / static_cast<double>(to - from);
      between += mean * mean / 600.0;
      for (Index r = from; r < to; ++r) within += std::pow(cell(federation.train, r, j) - mean, 2);
      freedom += static_cast<double>(to - from) - 1.0;
    }
  }
  EXPECT_NEAR(between, 25.0, 5.0 * 25.0 * std::sqrt(2.0 / 600.0));
  EXPECT_NEAR(within / freedom, 1.0, 5.0 * std::sqrt(2.0 / freedom));
}

TEST(SyntheticLogistic, HasTwoClassesAndTestRows) {
  DataSpec spec = synthetic("synthetic-logistic");
  spec.partition = "dirichlet";
  const Federation federation = load_federation(spec, TargetKind::binary, 5, "");
  EXPECT_THAT(federation.class_names, ElementsAre("0", "1"));
  EXPECT_EQ(federation.train.columns, 21);
  EXPECT_GT(federation.test.rows, 0);
  EXPECT_THAT(federation.notes,
              ElementsAre("data.partition = \"dirichlet\" is not used: synthetic-logistic makes its own clients"));
  double ones = 0.0;
  for (const double y : federation.train.y) ones += y;
  EXPECT_GT(ones, 0.0);
  EXPECT_LT(ones, static_cast<double>(federation.train.rows));
}

// For a given client, column j has variance j^-1.2.
TEST(SyntheticLogistic, FeaturesHaveTheirVariances) {
  DataSpec spec = synthetic("synthetic-logistic");
  spec.standardize = false;
  spec.intercept = false;
  spec.test_fraction = 0.0;
  spec.min_size = 2000;
  spec.max_size = 2000;
  spec.clients = 3;
  const Federation federation = load_federation(spec, TargetKind::binary, 5, "");
  for (const Index j : {Index{0}, Index{1}, Index{9}, Index{19}}) {
    double mean = 0.0;
    double square = 0.0;
    for (Index r = 0; r < 2000; ++r) mean += cell(federation.train, r, j) / 2000.0;
    for (Index r = 0; r < 2000; ++r) square += std::pow(cell(federation.train, r, j) - mean, 2) / 1999.0;
    const double law = std::pow(static_cast<double>(j + 1), -1.2);
    EXPECT_NEAR(square, law, 5.0 * law * std::sqrt(2.0 / 2000.0));
  }
}

TEST(Synthetic, SameSeedSameData) {
  const DataSpec spec = synthetic("synthetic-logistic");
  const Federation one = load_federation(spec, TargetKind::binary, 5, "");
  EXPECT_EQ(one.train.x, load_federation(spec, TargetKind::binary, 5, "").train.x);
  EXPECT_NE(one.train.x, load_federation(spec, TargetKind::binary, 6, "").train.x);
}

}  // namespace
}  // namespace pollen
