// Tests exp, log, log1p, sigmoid and softplus: accuracy against long double, special values, and equal bits on every
// target.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "math/math.h"
#include "math/numbers.h"
#include "math/targets.h"

namespace pollen {
namespace {

using test::for_each_target;
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

using Function = void (*)(std::span<const double>, std::span<double>);
using Exact = long double (*)(long double);

// Returns the largest error in units of the last place of the exact result.
double worst_error(Function function, Exact exact, const std::vector<double>& x) {
  std::vector<double> y(x.size());
  function(x, y);
  double worst = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double truth = exact(x[i]);
    const double rounded = std::abs(static_cast<double>(truth));
    const double ulp = std::nextafter(rounded, kInf) - rounded;
    worst = std::max(
        worst, static_cast<double>(std::abs(truth - static_cast<long double>(y[i])) / static_cast<long double>(ulp)));
  }
  return worst;
}

std::vector<double> scaled(std::size_t count, double low, double high) {
  std::vector<double> x = test::numbers(count, 3);
  for (double& v : x) v = low + (v + 2.0) / 4.0 * (high - low);
  return x;
}

long double exact_exp(long double x) { return std::exp(x); }
long double exact_log(long double x) { return std::log(x); }
long double exact_sigmoid(long double x) { return 1.0L / (1.0L + std::exp(-x)); }
long double exact_softplus(long double x) { return std::max(x, 0.0L) + std::log1p(std::exp(-std::abs(x))); }
void many_log1p(std::span<const double> x, std::span<double> out) {
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = math::log1p(x[i]);
}
long double exact_log1p(long double x) { return std::log1p(x); }

TEST(Elementwise, Accuracy) {
  for_each_target([] {
    EXPECT_LT(worst_error(math::exp, exact_exp, scaled(100000, -708.0, 709.78)), 1.5);
    EXPECT_LT(worst_error(math::exp, exact_exp, scaled(100000, -1.0, 1.0)), 1.5);
    EXPECT_LT(worst_error(math::log, exact_log, scaled(100000, 1e-10, 10.0)), 1.5);
    EXPECT_LT(worst_error(math::log, exact_log, scaled(100000, 1e-310, 2e-308)), 1.5);
    EXPECT_LT(worst_error(math::log, exact_log, scaled(100000, 1e300, 1.7e308)), 1.5);
    EXPECT_LT(worst_error(many_log1p, exact_log1p, scaled(20000, -0.99999, 10.0)), 3.0);
    EXPECT_LT(worst_error(many_log1p, exact_log1p, scaled(20000, -1e-12, 1e-12)), 3.0);
    EXPECT_LT(worst_error(math::sigmoid, exact_sigmoid, scaled(100000, -700.0, 40.0)), 3.0);
    EXPECT_LT(worst_error(math::sigmoid, exact_sigmoid, scaled(100000, -3.0, 3.0)), 3.0);
    EXPECT_LT(worst_error(math::softplus, exact_softplus, scaled(100000, -700.0, 40.0)), 3.0);
    EXPECT_LT(worst_error(math::softplus, exact_softplus, scaled(100000, -3.0, 3.0)), 3.0);
  });
}

TEST(Elementwise, SpecialValues) {
  for_each_target([] {
    EXPECT_EQ(math::exp(0.0), 1.0);
    EXPECT_EQ(math::exp(-kInf), 0.0);
    EXPECT_EQ(math::exp(kInf), kInf);
    EXPECT_EQ(math::exp(39000.0), kInf);
    EXPECT_EQ(math::exp(709.7827128933841), kInf);
    EXPECT_TRUE(std::isfinite(math::exp(709.782712893384)));
    EXPECT_EQ(math::exp(-1e5), 0.0);
    EXPECT_TRUE(std::isnan(math::exp(kNaN)));
    EXPECT_EQ(math::log(1.0), 0.0);
    EXPECT_EQ(math::log(0.0), -kInf);
    EXPECT_EQ(math::log(-0.0), -kInf);
    EXPECT_EQ(math::log(kInf), kInf);
    for (const double x : {-1.0, -kInf, -5e-324, kNaN}) EXPECT_TRUE(std::isnan(math::log(x))) << x;
    EXPECT_EQ(math::log1p(0.0), 0.0);
    EXPECT_EQ(math::log1p(-1.0), -kInf);
    EXPECT_EQ(math::log1p(kInf), kInf);
    EXPECT_EQ(math::log1p(-1e-300), -1e-300);
    for (const double x : {-1.5, -kInf, kNaN}) EXPECT_TRUE(std::isnan(math::log1p(x))) << x;
  });
}

TEST(Elementwise, LogisticFunctionsAtTheEnds) {
  const std::vector<double> x{-kInf, -1e6, 0.0, 1e6, kInf, kNaN};
  for_each_target([&] {
    std::vector<double> y(x.size());
    math::sigmoid(x, y);
    EXPECT_EQ(y[0], 0.0);
    EXPECT_EQ(y[1], 0.0);
    EXPECT_EQ(y[2], 0.5);
    EXPECT_EQ(y[3], 1.0);
    EXPECT_EQ(y[4], 1.0);
    EXPECT_TRUE(std::isnan(y[5]));
    math::softplus(x, y);
    EXPECT_EQ(y[0], 0.0);
    EXPECT_EQ(y[1], 0.0);
    EXPECT_DOUBLE_EQ(y[2], std::log(2.0));
    EXPECT_EQ(y[3], 1e6);
    EXPECT_EQ(y[4], kInf);
    EXPECT_TRUE(std::isnan(y[5]));
  });
}

TEST(Elementwise, TailsInPlaceUnalignedAndScalarsAgree) {
  const std::vector<double> x = scaled(64, 0.01, 5.0);
  for_each_target([&] {
    for (std::size_t count = 0; count <= 40; ++count) {
      std::vector<double> work(x.begin(), x.end());
      const std::span<double> part = std::span(work).subspan(1, count);
      math::log(part, part);
      for (std::size_t i = 0; i < work.size(); ++i) {
        const bool inside = i >= 1 && i < count + 1;
        ASSERT_EQ(work[i], inside ? math::log(x[i]) : x[i]) << count << ' ' << i;
      }
      math::exp(part, part);
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(part[i], math::exp(math::log(x[i + 1])));
    }
  });
}

TEST(Elementwise, SameBitsOnEveryTarget) {
  const std::vector<double> x = scaled(20001, -50.0, 50.0);
  for (const Function f :
       {Function{math::exp}, Function{math::log}, Function{math::sigmoid}, Function{math::softplus}}) {
    std::vector<double> expected(x.size()), y(x.size());
    f(x, expected);
    for_each_target([&] {
      f(x, y);
      test::expect_same_bits(y, expected);
    });
  }
}

}  // namespace
}  // namespace pollen
