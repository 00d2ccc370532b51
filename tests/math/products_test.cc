// Compares the matrix products with long double loops over shapes that meet every tile. Also tests their promise about
// bits: a result does not depend on the target, on the rest of the call or (transposed) on how rows are divided into
// calls.
#include <gtest/gtest.h>

#include <cmath>

#include "math/math.h"
#include "math/numbers.h"
#include "math/targets.h"

namespace pollen {
namespace {

using test::for_each_target;
using test::numbers;

struct Shape {
  Index rows, features, columns;
};

// A table, columns and results with odd strides, so that nothing is aligned, and with marks after every column.
struct Problem {
  explicit Problem(const Shape& s)
      : shape(s),
        table(numbers(static_cast<std::size_t>(s.rows * (s.features + 3)), 1)),
        theta(numbers(static_cast<std::size_t>(s.columns * (s.features + 1)), 2)),
        z(static_cast<std::size_t>(s.columns * (s.rows + 5)), kMark),
        gradient(numbers(static_cast<std::size_t>(s.columns * (s.features + 7)), 3)) {}

  static constexpr double kMark = -77.0;
  RowsView x() const { return {table.data(), shape.rows, shape.features, shape.features + 3}; }
  ConstPanelView in() const { return {theta.data(), shape.features, shape.columns, shape.features + 1}; }
  PanelView out() { return {z.data(), shape.rows, shape.columns, shape.rows + 5}; }
  PanelView g() { return {gradient.data(), shape.features, shape.columns, shape.features + 7}; }

  Shape shape;
  std::vector<double> table, theta, z, gradient;
};

std::vector<Shape> shapes() {
  std::vector<Shape> out{{64, 785, 1}, {33, 124, 30}, {200, 50, 7}, {3, 0, 2}, {0, 5, 2}, {9, 6, 0}, {130, 33, 13}};
  for (const Index rows : {1, 2, 3, 5, 8, 15}) {
    for (Index features = 1; features <= 40; features += features < 18 ? 1 : 5) {
      for (const Index columns : {1, 2, 3, 4, 5, 6, 9}) out.push_back({rows, features, columns});
    }
  }
  return out;
}

TEST(Multiply, AgreesWithPlainLoops) {
  for_each_target([] {
    for (const Shape& s : shapes()) {
      Problem p(s);
      math::multiply(p.x(), p.in(), p.out());
      for (Index m = 0; m < s.columns; ++m) {
        for (Index r = 0; r < s.rows; ++r) {
          long double sum = 0.0L;
          for (Index j = 0; j < s.features; ++j) {
            sum += static_cast<long double>(p.x().row(r)[j]) * p.in().column(m)[static_cast<std::size_t>(j)];
          }
          ASSERT_NEAR(p.out().column(m)[static_cast<std::size_t>(r)], static_cast<double>(sum), 1e-13);
        }
        for (Index r = s.rows; r < s.rows + 5; ++r)
          ASSERT_EQ(p.z[static_cast<std::size_t>(m * (s.rows + 5) + r)], -77.0);
      }
    }
  });
}

TEST(MultiplyTransposedAdd, AgreesWithPlainLoops) {
  for_each_target([] {
    for (const Shape& s : shapes()) {
      Problem p(s);
      const std::vector<double> before = p.gradient;
      p.z = numbers(p.z.size(), 4);
      math::multiply_transposed_add(p.x(), p.out(), p.g());
      for (Index m = 0; m < s.columns; ++m) {
        for (Index j = 0; j < s.features + 7; ++j) {
          const auto at = static_cast<std::size_t>(m * (s.features + 7) + j);
          double sum = before[at];
          for (Index r = 0; r < s.rows && j < s.features; ++r) {
            sum = std::fma(p.x().row(r)[j], p.out().column(m)[static_cast<std::size_t>(r)], sum);
          }
          ASSERT_EQ(p.gradient[at], sum) << "the order of rows is promised";
        }
      }
    }
  });
}

TEST(Multiply, ARowAndColumnAloneGiveTheSameBits) {
  for (const Shape& s : {Shape{23, 37, 11}, Shape{9, 124, 30}, Shape{17, 8, 5}}) {
    Problem p(s);
    math::multiply(p.x(), p.in(), p.out());
    for_each_target([&] {
      for (Index m = 0; m < s.columns; ++m) {
        for (Index r = 0; r < s.rows; ++r) {
          double alone = 0.0;
          math::multiply(p.x().slice(r, 1), {p.in().column(m).data(), s.features, 1, s.features}, {&alone, 1, 1, 1});
          ASSERT_EQ(alone, p.out().column(m)[static_cast<std::size_t>(r)]) << r << ' ' << m;
        }
      }
    });
  }
}

TEST(MultiplyTransposedAdd, CutsOfRowsAndColumnsGiveTheSameBits) {
  const Shape s{150, 61, 11};
  Problem whole(s);
  whole.z = numbers(whole.z.size(), 4);
  math::multiply_transposed_add(whole.x(), whole.out(), whole.g());
  for_each_target([&] {
    Problem cut(s);
    cut.z = whole.z;
    for (Index m = 0; m < s.columns; ++m) {
      for (Index r = 0; r < s.rows; r += 19) {
        const RowsView block = cut.x().slice(r, std::min<Index>(19, s.rows - r));
        math::multiply_transposed_add(block, {cut.out().column(m).data() + r, block.rows, 1, block.rows},
                                      {cut.g().column(m).data(), s.features, 1, s.features});
      }
    }
    test::expect_same_bits(cut.gradient, whole.gradient);
  });
}

TEST(Products, ChosenRowsEqualACopyOfThem) {
  const std::vector<std::uint32_t> chosen{5, 0, 7, 7, 2, 19, 3, 11, 12, 1, 4};
  for (const Index columns : {1, 4, 11}) {
    const Shape s{20, 45, columns};
    const Shape copied{static_cast<Index>(chosen.size()), s.features, columns};
    for_each_target([&] {
      Problem p(s), copy(copied);
      for (std::size_t r = 0; r < chosen.size(); ++r) {
        const double* from = p.x().row(static_cast<Index>(chosen[r]));
        std::copy(from, from + s.features, copy.table.begin() + static_cast<Index>(r) * (s.features + 3));
      }
      std::vector<double> z(copy.z.size(), Problem::kMark);
      const PanelView out{z.data(), copied.rows, columns, copied.rows + 5};
      math::multiply(p.x(), chosen, p.in(), out);
      math::multiply(copy.x(), copy.in(), copy.out());
      test::expect_same_bits(z, copy.z);
      math::multiply_transposed_add(p.x(), chosen, out, p.g());
      math::multiply_transposed_add(copy.x(), copy.out(), copy.g());
      test::expect_same_bits(p.gradient, copy.gradient);
    });
  }
}

// Memory behind the last feature of a masked vector must not reach the result.
TEST(Products, NaNPastTheEndDoesNoHarm) {
  for_each_target([] {
    for (Index features = 1; features < 20; ++features) {
      const auto total = static_cast<std::size_t>(features);
      std::vector<double> row(24, std::nan("")), theta(24, std::nan(""));
      std::fill_n(row.begin(), total, 1.0);
      std::fill_n(theta.begin(), total, 2.0);
      double z = 0.0;
      math::multiply({row.data(), 1, features, 24}, {theta.data(), features, 1, 24}, {&z, 1, 1, 1});
      ASSERT_EQ(z, 2.0 * static_cast<double>(features));
      EXPECT_EQ(math::sum(std::span(row).first(total)), static_cast<double>(features));
    }
  });
}

}  // namespace
}  // namespace pollen
