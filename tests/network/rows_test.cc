// Laws of sums over rows: parts and the whole, order, threads, instruction sets, clipped gradients.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "math/targets.h"
#include "network/network.h"
#include "network/reference.h"

namespace pollen {
namespace {

using test::Case;
using test::distance;
using test::lenet5;
using test::mlp;
using test::response;
using test::some_rows;

std::vector<std::uint32_t> first_rows(std::uint32_t count) {
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0u);
  return rows;
}

TEST(LeanRows, PartsMakeTheWhole) {
  for (const NetworkSpec& spec : {lenet5(), mlp(21, {13, 33}, 3, "swish"), response(5, {9}, "tanh", 0.5)}) {
    const Case c(spec, 1500);
    std::vector<float> whole, part;
    const double loss = c.loss(first_rows(1500), &whole);
    EXPECT_EQ(loss, c.network->loss(*c.held, nullptr, 1500, c.theta.data(), nullptr));
    std::vector<double> sum(whole.size(), 0.0);
    double of_parts = 0;
    const auto rows = first_rows(1500);
    for (std::size_t from = 0, count = 1; from < 1500; from += count, count = std::min(1500 - from, count * 2)) {
      of_parts += c.loss(
          {rows.begin() + static_cast<std::ptrdiff_t>(from), rows.begin() + static_cast<std::ptrdiff_t>(from + count)},
          &part);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<double>(part[i]);
    }
    EXPECT_NEAR(of_parts, loss, 1e-9 * std::abs(loss));
    EXPECT_LT(distance(whole, std::vector<float>(sum.begin(), sum.end())), 2e-6);
  }
}

TEST(LeanRows, OrderIsRoundingAlone) {
  const Case c(lenet5(), 50);
  auto rows = some_rows(80, 50, 3);
  std::vector<float> one, other;
  c.loss(rows, &one);
  std::sort(rows.begin(), rows.end());
  c.loss(rows, &other);
  EXPECT_LT(distance(one, other), 2e-6);
}

TEST(LeanRows, NoRowsGiveZero) {
  const Case c(mlp(21, {13}, 3), 5);
  std::vector<float> gradient;
  EXPECT_EQ(c.loss({}, &gradient), 0.0);
  for (const float g : gradient) ASSERT_EQ(g, 0.0f);
}

TEST(LeanRows, SameBitsOnEveryThread) {
  const Case c(lenet5(), 100), other(mlp(900, {70, 50}, 3, "swish"), 100);
  const auto rows = some_rows(90, 100, 4);
  std::vector<float> expected;
  const double loss = c.loss(rows, &expected);
  std::vector<std::thread> threads;
  std::vector<int> right(3, 0);
  for (std::size_t t = 0; t < right.size(); ++t) {
    threads.emplace_back([&, t] {
      std::vector<float> gradient;
      for (int turn = 0; turn < 3; ++turn) {
        if (t == 1) other.loss(rows, &gradient);  // leaves its numbers in this thread's memory
        right[t] += c.loss(rows, &gradient) == loss && gradient == expected;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, std::vector<int>(3, 3));
}

TEST(LeanRows, SameBitsOnEveryTarget) {
  for (const NetworkSpec& spec :
       {lenet5(), mlp(37, {13, 33}, 3, "swish"), mlp(37, {50}, 3, "tanh"), response(5, {9}, "relu", 0.5)}) {
    const Case c(spec, 100);
    for (const std::int64_t count : {1, 20, 70}) {
      const auto rows = some_rows(count, 100, 4);
      std::vector<float> expected, gradient;
      const double loss = c.loss(rows, &expected);
      const std::vector<float> cut = c.clipped(rows, 0.5);
      test::for_each_target([&] {
        EXPECT_EQ(c.loss(rows, &gradient), loss);
        EXPECT_EQ(gradient, expected);
        EXPECT_EQ(c.clipped(rows, 0.5), cut);
      });
    }
  }
}

// A row's outputs must not depend on the rows beside it.
TEST(LeanRows, OutputsOfARowAreItsOwn) {
  for (const NetworkSpec& spec : {lenet5(), mlp(37, {13, 33}, 3, "swish")}) {
    const Case c(spec, 70);
    const auto width = static_cast<std::size_t>(spec.outputs);
    std::vector<float> all(70 * width), one(width);
    c.network->outputs(*c.held, 0, 70, c.theta.data(), all.data());
    for (std::int64_t r = 0; r < 70; ++r) {
      c.network->outputs(*c.held, r, 1, c.theta.data(), one.data());
      EXPECT_TRUE(std::equal(one.begin(), one.end(), all.begin() + r * spec.outputs));
    }
  }
}

// Clipped gradients equal those of the interface's default, which goes one row at a time, whether some rows are
// clipped, all or none.
TEST(LeanRows, CutGradients) {
  for (const NetworkSpec& spec : {lenet5(), mlp(21, {13, 33}, 3, "swish"), response(5, {9}, "tanh", 0.5)}) {
    const Case c(spec, 60);
    const auto rows = some_rows(70, 60, 6);
    std::vector<float> gradient, expected(c.theta.size());
    for (const double clip : {1e-3, 0.5, 2.0, 5.0, 1e6}) {
      SCOPED_TRACE(clip);
      c.network->Network::clipped(*c.held, rows.data(), 70, c.theta.data(), clip, expected.data());
      EXPECT_LT(distance(c.clipped(rows, clip), expected), 2e-6);
    }
    c.loss(rows, &gradient);
    EXPECT_EQ(c.clipped(rows, 1e6), gradient);
  }
}

TEST(LeanRows, Refused) {
  const Case c(mlp(4, {3}, 3), 10), other(mlp(5, {3}, 3), 10);
  EXPECT_THROW(c.loss({3, 10}), std::runtime_error);
  EXPECT_THROW(c.network->loss(*other.held, nullptr, 10, c.theta.data(), nullptr), std::runtime_error);
  const auto bare = c.network->hold(c.x.data(), nullptr, 10);
  EXPECT_EQ(bare->rows(), 10);
  EXPECT_THROW(c.network->loss(*bare, nullptr, 10, c.theta.data(), nullptr), std::runtime_error);
  std::vector<float> out(30);
  c.network->outputs(*bare, 0, 10, c.theta.data(), out.data());
  EXPECT_THROW(c.network->outputs(*bare, 5, 6, c.theta.data(), out.data()), std::runtime_error);
  for (const float wrong : {-1.0f, 3.0f, 0.5f, std::nanf("")}) {
    const std::vector<float> y = {0.0f, wrong};
    EXPECT_THROW(c.network->hold(c.x.data(), y.data(), 2), std::runtime_error);
  }
}

}  // namespace
}  // namespace pollen
