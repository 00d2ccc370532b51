// Tests that the curvature says nothing of pairs of indicators which few rows have in common, in the model's own
// coordinates and in others.
#include "model/small_pairs.h"

#include <gtest/gtest.h>

#include "model/coordinates.h"
#include "model/models.h"
#include "pollen/model.h"

namespace pollen {
namespace {

// A table of an intercept, three columns of two values each, and one of many. Columns 1 and 2 have two rows in common,
// 1 and 3 have none, and 2 and 3 have many. The values are not 0 and 1, as after standardising.
class SmallPairs : public ::testing::Test {
 protected:
  static constexpr Index kRows = 40, kColumns = 5;
  SmallPairs() : x_(static_cast<std::size_t>(kRows * padded(kColumns))), y_(static_cast<std::size_t>(kRows)) {
    for (Index r = 0; r < kRows; ++r) {
      double* row = x_.data() + r * padded(kColumns);
      row[0] = 1;
      row[1] = r < 10 ? 1.5 : -0.5;
      row[2] = r >= 8 && r < 30 ? 0.7 : -1.1;
      row[3] = r >= 15 ? 2 : -3;
      row[4] = static_cast<double>(r * 7 % 11);
      y_[static_cast<std::size_t>(r)] = r % 3 == 0 ? 1 : 0;
    }
  }
  RowsView view() const { return {x_.data(), kRows, kColumns, padded(kColumns)}; }

  AlignedVector<double> x_;
  std::vector<double> y_;
};

TEST_F(SmallPairs, OnlyEntriesOfSmallGroupsAreHidden) {
  std::vector<double> half(15, 1);
  model::SmallPairs(view(), 3).hide(half);
  // Lower half of 5 × 5 by columns: (0,0..4), (1,1..4), (2,2..4), (3,3), (3,4), (4,4).
  EXPECT_EQ(half, (std::vector<double>{1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1}));
  std::ranges::fill(half, 1);
  model::SmallPairs(view(), 2).hide(half);
  EXPECT_EQ(half, std::vector<double>(15, 1));
}

TEST_F(SmallPairs, EveryClassAndNothingBeyondTheColumns) {
  std::vector<double> half(11 * 12 / 2, 1);  // two classes and one more coordinate
  model::SmallPairs(view(), 3).hide(half);
  Index hidden = 0;
  for (const double entry : half) hidden += entry == 0 ? 1 : 0;
  EXPECT_EQ(hidden, 4) << "(1,2), (6,7), and the two between the classes";
}

// The products of the curvature with unit vectors are its columns. They have the same zeros as the Hessian, whatever
// the model, and differ in nothing else.
TEST_F(SmallPairs, ProductsHideTheSameEntries) {
  Scratch scratch;
  for (const char* kind : {"logistic", "softmax", "poisson", "linear"}) {
    ModelSpec spec;
    spec.family = &model_family(kind);
    spec.features = kColumns;
    spec.classes = 3;
    Observations few{view(), y_.data()}, all = few;
    few.min_cell = 3;
    const auto shown = make_potential(spec, few), whole = make_potential(spec, all);
    const auto d = static_cast<std::size_t>(shown->dimension());
    std::vector<double> at(d, 0.1), unit(d), column(d), expected(d);
    int hidden = 0;
    for (std::size_t j = 0; j < d; ++j) {
      unit[j] = 1;
      shown->shown_curvature(at, unit, column, scratch);
      whole->shown_curvature(at, unit, expected, scratch);
      unit[j] = 0;
      for (std::size_t i = 0; i < d; ++i) {
        const std::size_t a = i % kColumns, b = j % kColumns, end = d / kColumns * kColumns;
        const bool small = i < end && j < end && std::min(a, b) == 1 && std::max(a, b) == 2;
        EXPECT_EQ(column[i], small ? 0 : expected[i]) << kind << ' ' << i << ' ' << j;
        hidden += small ? 1 : 0;
      }
    }
    EXPECT_EQ(hidden, kind == std::string("softmax") ? 18 : 2) << kind;
  }
}

// In coordinates that mix columns an entry of 0 in θ is none in ψ, and is 0 again once they are undone.
TEST_F(SmallPairs, CoordinatesDoNotShowThem) {
  Panel hessian(3, 3);
  for (Index k = 0; k < 3; ++k)
    for (Index i = 0; i < 3; ++i)
      hessian.column(k)[static_cast<std::size_t>(i)] = i == k ? 4.0 + static_cast<double>(k) : 1;
  const Coordinates coordinates(std::vector<double>{1, 2, 3}, hessian, true);
  std::vector<double> half = {5, 1, 2, 6, 3, 7}, seen;
  coordinates.change_in_theta(half, [&](std::span<double> in_theta) {
    seen.assign(in_theta.begin(), in_theta.end());
    in_theta[4] = 0;
  });
  coordinates.change_in_theta(half, [&](std::span<double> in_theta) {
    for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(in_theta[k], k == 4 ? 0 : seen[k], 1e-9) << k;
  });
  const std::vector<double> before = half;
  coordinates.change_in_theta(half, [](std::span<double>) {});
  EXPECT_EQ(half, before) << "nothing is hidden, so that no bit changes";
}

}  // namespace
}  // namespace pollen
