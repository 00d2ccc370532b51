// Compares reductions and vector updates with long double loops, for every size up to 40 and a large one, at unaligned
// addresses.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "math/math.h"
#include "math/numbers.h"
#include "math/targets.h"

namespace pollen {
namespace {

using test::for_each_target;
using test::numbers;
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<std::size_t> sizes() {
  std::vector<std::size_t> out(41);
  std::iota(out.begin(), out.end(), std::size_t{0});
  for (const std::size_t n : {63u, 64u, 65u, 100u, 785u, 100003u}) out.push_back(n);
  return out;
}

TEST(Vectors, SumsAgreeWithPlainLoops) {
  const std::vector<double> a = numbers(100010, 1), b = numbers(100010, 2);
  for_each_target([&] {
    for (const std::size_t n : sizes()) {
      const auto x = std::span(a).subspan(1, n);
      const auto y = std::span(b).subspan(3, n);
      long double sum = 0.0L, dot = 0.0L, norm = 0.0L;
      for (std::size_t i = 0; i < n; ++i) {
        sum += x[i];
        dot += static_cast<long double>(x[i]) * y[i];
        norm += static_cast<long double>(x[i]) * x[i];
      }
      const double tolerance = 1e-15 * (1.0 + static_cast<double>(norm) + static_cast<double>(n));
      EXPECT_NEAR(math::sum(x), static_cast<double>(sum), tolerance) << n;
      EXPECT_NEAR(math::dot(x, y), static_cast<double>(dot), tolerance) << n;
      EXPECT_NEAR(math::squared_norm(x), static_cast<double>(norm), tolerance) << n;
    }
  });
}

// The order of additions is a contract: four groups of eight lanes, as in vectors.cc.
double sum_in_order(std::span<const double> x) {
  double lanes[4][8] = {};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool in_whole_block = i < x.size() / 8 * 8;
    double& lane = lanes[in_whole_block ? i / 8 % 4 : 3][i % 8];
    lane += x[i];
  }
  double l[8];
  for (int i = 0; i < 8; ++i) l[i] = (lanes[0][i] + lanes[1][i]) + (lanes[2][i] + lanes[3][i]);
  return ((l[0] + l[4]) + (l[1] + l[5])) + ((l[2] + l[6]) + (l[3] + l[7]));
}

TEST(Vectors, SumsHaveTheStatedOrderOnEveryTarget) {
  const std::vector<double> a = numbers(100010, 1);
  for_each_target([&] {
    for (const std::size_t n : sizes()) {
      const auto x = std::span(a).subspan(1, n);
      ASSERT_EQ(math::sum(x), sum_in_order(x)) << n;
    }
  });
}

TEST(Vectors, DotHasTheSameBitsOnEveryTarget) {
  const std::vector<double> a = numbers(1000, 1), b = numbers(1000, 2);
  for (std::size_t n = 0; n < 1000; ++n) {
    const auto x = std::span(a).first(n), y = std::span(b).first(n);
    const double expected = math::dot(x, y);
    for_each_target([&] { ASSERT_EQ(math::dot(x, y), expected); });
  }
}

TEST(Vectors, UpdatesTouchOnlyTheirSpan) {
  const std::vector<double> a = numbers(60, 1), b = numbers(60, 2);
  for_each_target([&] {
    for (std::size_t n = 0; n <= 40; ++n) {
      const auto x = std::span(a).subspan(3, n);
      const auto check = [&](auto update, auto exact) {
        std::vector<double> y = b;
        update(std::span(y).subspan(1, n));
        for (std::size_t i = 0; i < y.size(); ++i) {
          const bool inside = i >= 1 && i < n + 1;
          ASSERT_EQ(y[i], inside ? exact(a[i + 2], b[i]) : b[i]) << n << ' ' << i;
        }
      };
      check([&](auto y) { math::axpy(0.3, x, y); }, [](double u, double v) { return std::fma(0.3, u, v); });
      check([&](auto y) { math::scale(0.3, y); }, [](double, double v) { return 0.3 * v; });
      check([&](auto y) { math::add(x, y); }, [](double u, double v) { return v + u; });
      check([&](auto y) { math::scale_add(0.7, x, y); }, [](double u, double v) { return 0.7 * v + u; });
      check([&](auto y) { math::subtract(x, y, y); }, [](double u, double v) { return u - v; });
    }
  });
}

TEST(Vectors, MaxAbsFindsTheLargestAndEveryNaN) {
  for_each_target([] {
    EXPECT_EQ(math::max_abs({}), 0.0);
    for (std::size_t n = 1; n <= 40; ++n) {
      for (std::size_t at = 0; at < n; ++at) {
        std::vector<double> x(n, -1.5);
        x[at] = -3.0;
        ASSERT_EQ(math::max_abs(x), 3.0);
        ASSERT_TRUE(math::all_finite(x));
        x[(at + 1) % n] = -kInf;
        ASSERT_EQ(math::max_abs(x), kInf);
        ASSERT_FALSE(math::all_finite(x));
        x[at] = at % 2 == 0 ? kNaN : -kNaN;
        ASSERT_TRUE(std::isnan(math::max_abs(x)));
        ASSERT_FALSE(math::all_finite(x));
      }
    }
  });
}

TEST(Vectors, LangevinStep) {
  const std::vector<double> g = numbers(60, 1), z = numbers(60, 2), start = numbers(60, 3);
  for_each_target([&] {
    for (std::size_t n = 0; n <= 40; ++n) {
      std::vector<double> x = start;
      const double largest =
          math::langevin_step(std::span(x).subspan(1, n), std::span(g).first(n), std::span(z).first(n), 0.1, 0.7);
      double expected = 0.0;
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(x[i + 1], std::fma(0.7, z[i], std::fma(-0.1, g[i], start[i + 1])));
        expected = std::max(expected, std::abs(x[i + 1]));
      }
      ASSERT_EQ(largest, expected);
      ASSERT_EQ(x[0], start[0]);
      ASSERT_EQ(x[n + 1], start[n + 1]);
    }
    std::vector<double> x{1.0, kNaN, 2.0};
    EXPECT_TRUE(std::isnan(math::langevin_step(x, std::span(g).first(3), std::span(z).first(3), 0.1, 0.7)));
  });
}

}  // namespace
}  // namespace pollen
