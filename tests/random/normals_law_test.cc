// Tests the law of the normals from a fixed seed. A limit of 4.5 standard errors would fail one good seed in 150,000.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "pollen/random.h"

namespace pollen {
namespace {

constexpr std::size_t kCount = 4'000'000;
constexpr double kLimit = 4.5;

const std::vector<double>& sample() {
  static const std::vector<double> values = [] {
    std::vector<double> out(kCount);
    normals(make_stream(2024, 0, Purpose::noise), out);
    return out;
  }();
  return values;
}

// Returns how many standard errors the mean of f over the sample is from its expected value.
template <class F>
double deviation(F f, double mean, double variance) {
  double total = 0.0;
  for (const double x : sample()) total += f(x) - mean;
  return total / std::sqrt(variance * static_cast<double>(kCount));
}

TEST(NormalsLaw, Moments) {
  EXPECT_LT(std::abs(deviation([](double x) { return x; }, 0.0, 1.0)), kLimit);
  EXPECT_LT(std::abs(deviation([](double x) { return x * x; }, 1.0, 2.0)), kLimit);
  EXPECT_LT(std::abs(deviation([](double x) { return x * x * x; }, 0.0, 15.0)), kLimit);
  EXPECT_LT(std::abs(deviation([](double x) { return x * x * x * x; }, 3.0, 96.0)), kLimit);
}

TEST(NormalsLaw, KolmogorovSmirnov) {
  std::vector<double> sorted = sample();
  std::sort(sorted.begin(), sorted.end());
  double distance = 0.0;
  for (std::size_t i = 0; i < kCount; ++i) {
    const double cdf = 0.5 * std::erfc(-sorted[i] / std::sqrt(2.0));
    const double below = static_cast<double>(i) / kCount;
    distance = std::max({distance, std::abs(cdf - below), std::abs(cdf - below - 1.0 / kCount)});
  }
  EXPECT_LT(distance * std::sqrt(static_cast<double>(kCount)), 2.4);  // exceeded with probability 2e-5
}

TEST(NormalsLaw, Tails) {
  for (const double limit : {3.0, 4.0, 4.75}) {
    const double p = std::erfc(limit / std::sqrt(2.0));
    EXPECT_LT(std::abs(deviation([limit](double x) { return std::abs(x) > limit ? 1.0 : 0.0; }, p, p * (1 - p))),
              kLimit)
        << limit;
  }
  EXPECT_LT(*std::max_element(sample().begin(), sample().end()), 8.58);
}

// Tests lags 1 (the pairs), 2, 3 and the four counters of a vector. Squares detect a shared radius.
TEST(NormalsLaw, NeighboursAreIndependent) {
  const std::vector<double>& x = sample();
  for (const std::size_t lag : {1u, 2u, 3u, 8u, 16u}) {
    double linear = 0.0, squares = 0.0;
    for (std::size_t i = 0; i + lag < kCount; ++i) {
      linear += x[i] * x[i + lag];
      squares += (x[i] * x[i] - 1.0) * (x[i + lag] * x[i + lag] - 1.0);
    }
    EXPECT_LT(std::abs(linear) / std::sqrt(static_cast<double>(kCount)), kLimit) << lag;
    EXPECT_LT(std::abs(squares) / (2.0 * std::sqrt(static_cast<double>(kCount))), kLimit) << lag;
  }
}

// Streams that differ in one field must not resemble each other.
TEST(NormalsLaw, StreamsAreIndependent) {
  constexpr std::size_t kPart = 1'000'000;
  const Stream base = make_stream(2024, 0, Purpose::noise);
  std::map<const char*, Stream> others;
  (others["round"] = base).round = 1;
  (others["client"] = base).client = 1;
  (others["step"] = base).step = 1;
  others["chain"] = make_stream(2024, 1, Purpose::noise);
  others["seed"] = make_stream(2025, 0, Purpose::noise);
  for (const auto& [name, stream] : others) {
    std::vector<double> y(kPart);
    normals(stream, y);
    double product = 0.0;
    for (std::size_t i = 0; i < kPart; ++i) product += y[i] * sample()[i];
    EXPECT_LT(std::abs(product) / std::sqrt(static_cast<double>(kPart)), kLimit) << name;
  }
}

TEST(NormalsLaw, UniformsMoments) {
  std::vector<double> u(kCount);
  uniforms(make_stream(2024, 0, Purpose::init), u);
  double first = 0.0, second = 0.0;
  for (const double v : u) {
    ASSERT_TRUE(v >= 0.0 && v < 1.0);
    first += v - 0.5;
    second += v * v - 1.0 / 3.0;
  }
  EXPECT_LT(std::abs(first) / std::sqrt(static_cast<double>(kCount) / 12.0), kLimit);
  EXPECT_LT(std::abs(second) / std::sqrt(static_cast<double>(kCount) * 4.0 / 45.0), kLimit);
}

}  // namespace
}  // namespace pollen
