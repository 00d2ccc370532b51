// Laws of minibatches: they are sums over rows, for any number of rows and any block size.
#include <gtest/gtest.h>

#include <numeric>

#include "model/blocks.h"
#include "model/problem.h"

namespace pollen::testing {
namespace {

class RowsLaw : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kinds, RowsLaw, ::testing::ValuesIn(kinds()), test_name);

std::vector<std::uint32_t> every_row(const Potential& u) {
  std::vector<std::uint32_t> rows(static_cast<std::size_t>(u.rows()));
  std::iota(rows.begin(), rows.end(), 0u);
  return rows;
}

TEST_P(RowsLaw, GradientIsTheSumOverSingleRows) {
  const Index features = 40, block = model::block_rows(features);
  for (const Index count : {Index{1}, Index{7}, block - 1, block, block + 1, 2 * block + 3}) {
    const Case c = make_case(GetParam(), count, features);
    const Panel theta = c.chains(1, 1);
    const std::vector<double> whole = gradient_of(*c.potential, theta.column(0));
    std::vector<double> sum(whole.size(), 0.0), part(whole.size());
    Scratch scratch;
    for (const std::uint32_t r : every_row(*c.potential)) {
      c.potential->gradient_rows(theta.column(0), {&r, 1}, part, scratch);
      for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += part[j];
    }
    expect_close(whole, sum, 1e-12);
    c.potential->gradient_rows(theta.column(0), every_row(*c.potential), part, scratch);
    expect_close(part, whole, 1e-13);
  }
}

TEST_P(RowsLaw, DifferenceIsTheDifferenceOfGradients) {
  const Case c = make_case(GetParam(), 500, 9);
  const Panel theta = c.chains(2, 2);
  Scratch scratch;
  std::vector<std::uint32_t> some = {0};
  if (c.potential->rows() > 1) some = {3, 499, 0, 77, 78, 3};
  for (const std::vector<std::uint32_t>& rows : {some, every_row(*c.potential)}) {
    std::vector<double> difference(theta.column(0).size()), plain(difference.size());
    c.potential->difference_rows(theta.column(0), theta.column(1), rows, difference, scratch);
    c.potential->Potential::difference_rows(theta.column(0), theta.column(1), rows, plain, scratch);
    expect_close(difference, plain, 1e-12);
    c.potential->difference_rows(theta.column(0), theta.column(0), rows, difference, scratch);
    for (const double v : difference) EXPECT_EQ(v, 0.0);
  }
}

TEST_P(RowsLaw, NoRowsGiveZero) {
  const Case c = make_case(GetParam(), 10, 4);
  const Panel theta = c.chains(2, 3);
  Scratch scratch;
  std::vector<double> g(theta.column(0).size(), 1.0), difference(g);
  c.potential->gradient_rows(theta.column(0), {}, g, scratch);
  c.potential->difference_rows(theta.column(0), theta.column(1), {}, difference, scratch);
  for (const double v : g) EXPECT_EQ(v, 0.0);
  for (const double v : difference) EXPECT_EQ(v, 0.0);
}

class NoRowsLaw : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kinds, NoRowsLaw, ::testing::ValuesIn(kinds(sums_over_rows)), test_name);

TEST_P(NoRowsLaw, AClientWithoutRowsHasAFlatPotential) {
  const Case c = make_case(GetParam(), 0, 4);
  const Panel theta = c.chains(1, 4);
  EXPECT_EQ(value_of(*c.potential, theta.column(0)), 0.0);
  for (const double v : gradient_of(*c.potential, theta.column(0))) EXPECT_EQ(v, 0.0);
}

TEST(BlockRows, HoldAQuarterOfAMegabyteOfFeatures) {
  EXPECT_EQ(model::block_rows(0), 1024);
  EXPECT_EQ(model::block_rows(2), 1024);
  EXPECT_EQ(model::block_rows(124), 264);
  EXPECT_EQ(model::block_rows(1 << 20), 16);
}

}  // namespace
}  // namespace pollen::testing
