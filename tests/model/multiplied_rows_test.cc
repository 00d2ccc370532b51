// Rows that are multiplied by A once (with_multiplied_rows): the same function of ψ for every family, without the rows.
#include <gtest/gtest.h>

#include <cmath>

#include "model/coordinates.h"
#include "problem.h"

namespace pollen::testing {
namespace {

// Coordinates in which the last one, log σ, is not tied to the others, as set-up makes them.
std::shared_ptr<const Coordinates> made_coordinates(Index d, bool full, std::uint64_t seed) {
  Dice dice(seed);
  Panel hessian(d, d);
  for (Index k = 0; k < d; ++k)
    for (std::size_t i = 0; i < static_cast<std::size_t>(d); ++i)
      hessian.column(k)[i] = static_cast<Index>(i) == k ? 4.0 + static_cast<double>(k) : k < d - 1 ? 1.5 : 0;
  for (std::size_t k = 0; k + 1 < static_cast<std::size_t>(d); ++k) hessian.column(d - 1)[k] = 0;
  for (Index k = 0; k + 1 < d; ++k) hessian.column(k).back() = 0;
  return std::make_shared<const Coordinates>(dice.normals(d, 0.2), hessian, full);
}

// Everything that rounds ask of a potential, one after another.
std::vector<double> answers(const Potential& u, const Case& c) {
  const Index d = u.dimension();
  const Panel at = c.chains(3, 12), anchor = c.chains(3, 13);
  const std::vector<std::uint32_t> rows = {1, 4, 7, 8};
  Panel gradient(d, 3), change(d, 3), some(d, 2);
  std::vector<double> all(3);
  Scratch scratch;
  u.value(at, all, scratch);
  u.gradient(at, gradient, scratch);
  u.difference(at, anchor, change, scratch);
  u.gradient_rows(at.column(1), rows, some.column(0), scratch);
  u.difference_rows(at.column(1), anchor.column(2), rows, some.column(1), scratch);
  for (const Panel* panel : {&gradient, &change, &some})
    for (Index k = 0; k < panel->columns(); ++k)
      all.insert(all.end(), panel->column(k).begin(), panel->column(k).end());
  return all;
}

class OnceMultiplied : public ::testing::TestWithParam<std::string> {};

// After the first evaluation the model's own rows are overwritten, so that who still looks at them is found out.
TEST_P(OnceMultiplied, AreTheSameFunctionAndReplaceTheRows) {
  Case c = make_case(GetParam(), 300, 4);
  const std::shared_ptr<const Potential> inner = std::move(c.potential);
  c.potential = make_potential(c.spec, c.observations);
  const AlignedVector<double> x = c.x;
  for (const bool full : {false, true}) {
    const std::shared_ptr<const Coordinates> in = made_coordinates(inner->dimension(), full, 8);
    const auto plain = in_coordinates(inner, in);
    const auto multiplied = with_multiplied_rows(*plain);
    const bool keeps = GetParam() == "softmax" || GetParam() == "gaussian-data";
    ASSERT_EQ(multiplied == nullptr, keeps);
    if (keeps) continue;
    EXPECT_EQ(multiplied->rows(), 300);
    const std::vector<double> expected = answers(*plain, c), found = answers(*multiplied, c);
    expect_close(found, expected, 1e-13);
    std::ranges::fill(c.x, std::nan(""));
    EXPECT_EQ(answers(*multiplied, c), found);
    std::ranges::copy(x, c.x.begin());
  }
}

TEST_P(OnceMultiplied, FollowCoordinatesThatAreToldAnew) {
  Case c = make_case(GetParam(), 20, 3);
  const std::shared_ptr<const Potential> inner = std::move(c.potential);
  c.potential = make_potential(c.spec, c.observations);
  std::shared_ptr<const Coordinates> in;
  const auto plain = in_coordinates(inner, in);
  const auto multiplied = with_multiplied_rows(*plain);
  if (!multiplied) GTEST_SKIP() << "its rows stay as they are";
  EXPECT_EQ(answers(*multiplied, c), answers(*inner, c)) << "ψ is θ as long as there are no coordinates";
  for (const std::uint64_t seed : {8u, 9u}) {
    in = made_coordinates(inner->dimension(), seed == 9, seed);
    expect_close(answers(*multiplied, c), answers(*plain, c), 1e-13);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, OnceMultiplied, ::testing::ValuesIn(kinds(sums_over_rows)), test_name);

TEST(OnceMultiplied, RowsOfAMappedFileStay) {
  Case c = make_case("logistic", 20, 3);
  c.observations.mapped = true;
  const std::shared_ptr<const Potential> inner = make_potential(c.spec, c.observations);
  const std::shared_ptr<const Coordinates> in = made_coordinates(3, true, 8);
  EXPECT_EQ(with_multiplied_rows(*in_coordinates(inner, in)), nullptr);
}

// Coordinates from elsewhere may tie log σ to the coefficients. The rows alone do not tell the predictor then.
TEST(OnceMultiplied, NeedALogScaleThatIsNotTiedToCoefficients) {
  Case c = make_case("linear-sigma", 20, 3);
  const std::shared_ptr<const Potential> inner = std::move(c.potential);
  c.potential = make_potential(c.spec, c.observations);
  Panel hessian(4, 4);
  for (Index k = 0; k < 4; ++k)
    for (std::size_t i = 0; i < 4; ++i) hessian.column(k)[i] = static_cast<Index>(i) == k ? 5 : 1;
  const auto in = std::make_shared<const Coordinates>(std::vector<double>(4, 0.1), hessian, true);
  const auto plain = in_coordinates(inner, in);
  EXPECT_EQ(answers(*with_multiplied_rows(*plain), c), answers(*plain, c));
}

// An offset is part of the linear predictor, wherever a potential needs that.
TEST(Offset, IsAddedToThePredictor) {
  for (const char* name : {"linear", "linear-sigma", "logistic", "poisson"}) {
    Case c = make_case(name, 40, 3);
    const std::shared_ptr<const Potential> inner = std::move(c.potential);
    // The last column's coefficient is fixed at 0.7 and becomes the offset.
    AlignedVector<double> offset;
    for (Index r = 0; r < 40; ++r) offset.push_back(0.7 * c.observations.x.row(r)[2]);
    Observations fewer = c.observations;
    fewer.x.columns = 2;
    fewer.offset = offset.data();
    ModelSpec spec = c.spec;
    spec.features = 2;
    const auto u = make_potential(spec, fewer);
    std::vector<double> theta = {0.3, -0.2, 0.7}, few = {0.3, -0.2}, v = {0.4, 0.1, 0}, few_v = {0.4, 0.1};
    if (u->dimension() == 3)
      for (auto* each : {&theta, &few, &v, &few_v}) each->push_back(0.15);
    const auto without = [](std::vector<double> all) {
      all.erase(all.begin() + 2);
      return all;
    };
    EXPECT_NEAR(value_of(*u, few), value_of(*inner, theta), 1e-12 * std::abs(value_of(*inner, theta))) << name;
    expect_close(gradient_of(*u, few), without(gradient_of(*inner, theta)), 1e-12);
    expect_close(curvature_of(*u, few, few_v), without(curvature_of(*inner, theta, v)), 1e-12);
    Scratch scratch;
    std::vector<double> found(few.size()), expected(theta.size());
    ASSERT_TRUE(u->hessian_diagonal(few, found, scratch) && inner->hessian_diagonal(theta, expected, scratch));
    expect_close(found, without(expected), 1e-9);
  }
}

}  // namespace
}  // namespace pollen::testing
