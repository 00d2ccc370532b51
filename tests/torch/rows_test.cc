// Which rows are computed in how many calls on which thread does not change the result.
#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "help.h"
#include "network/network.h"

namespace pollen::testing {
namespace {

std::vector<std::uint32_t> range(std::uint32_t first, std::uint32_t end) {
  std::vector<std::uint32_t> rows(end - first);
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

TEST(Rows, NamedRowsAreTheFirstOnesToTheBit) {
  const Case c(mlp({8}), 1300);  // three blocks
  std::vector<float> all, named;
  EXPECT_EQ(c.loss(c.theta, &all), c.loss_of(range(0, 1300), &named));
  EXPECT_EQ(all, named);
}

TEST(Rows, TheSumIsTheSumOfItsParts) {
  for (const NetworkSpec& spec : {mlp({8}), image_network("lenet5", 1, 28), image_network("resnet20", 3, 8)}) {
    const std::uint32_t rows = spec.kind == "mlp" ? 1300 : 24, cut = rows / 3;
    const Case c(spec, rows);
    std::vector<float> whole, first, rest;
    const double loss = c.loss(c.theta, &whole);
    const double parts = c.loss_of(range(0, cut), &first) + c.loss_of(range(cut, rows), &rest);
    for (std::size_t i = 0; i < first.size(); ++i) first[i] += rest[i];
    EXPECT_NEAR(loss / parts, 1, 1e-6) << spec.kind;
    EXPECT_LT(apart(whole, first), 3e-6) << spec.kind;
  }
}

TEST(Rows, RepeatedRowsCountTwiceAndNoneCountNothing) {
  const Case c(mlp({8}), 10);
  std::vector<float> once, twice, none;
  const double loss = c.loss_of({3}, &once);
  EXPECT_NEAR(c.loss_of({3, 3}, &twice), 2 * loss, 1e-6 * loss);
  for (float& g : once) g *= 2;
  EXPECT_LT(apart(twice, once), 1e-6);
  EXPECT_EQ(c.loss_of({}, &none), 0.0);
  EXPECT_EQ(none, std::vector<float>(c.theta.size(), 0.0f));
}

TEST(Rows, OutputsGiveTheLoss) {
  const Case c(mlp({8}), 700);
  std::vector<float> f(3 * 600);
  c.network->outputs(*c.held, 50, 600, c.theta.data(), f.data());
  double loss = 0;
  for (std::size_t j = 0; j < 600; ++j) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += std::exp(double{f[3 * j + k]});
    loss += std::log(sum) - double{f[3 * j + static_cast<std::size_t>(c.y[50 + j])]};
  }
  EXPECT_NEAR(c.loss_of(range(50, 650)) / loss, 1, 1e-6);
}

TEST(Rows, AClippedGradientIsMadeOfRowsOwn) {
  const Case c(mlp({8}), 6);
  std::vector<float> clipped(c.theta.size()), one;
  std::vector<double> expected(c.theta.size(), 0.0);
  for (std::uint32_t j = 0; j < 6; ++j) {
    c.loss_of({j}, &one);
    const double factor = std::min(1.0, 0.8 / norm_of(one));
    for (std::size_t i = 0; i < one.size(); ++i) expected[i] += factor * double{one[i]};
  }
  c.network->clipped(*c.held, nullptr, 6, c.theta.data(), 0.8, clipped.data());
  EXPECT_LT(apart(clipped, expected), 1e-6);
}

TEST(Rows, AnyThreadAndAnyAddressGiveTheSameBits) {
  for (const NetworkSpec& spec : {mlp({30}), image_network("lenet5", 1, 28), image_network("resnet20", 3, 8)}) {
    const Case c(spec, 16);
    const std::vector<float> expected = c.gradient();
    std::vector<std::vector<float>> got(4);
    std::vector<std::thread> threads;
    for (std::size_t k = 0; k < got.size(); ++k)
      threads.emplace_back([&, k] {
        std::vector<float> shifted(k, 0.0f);  // θ starts k numbers off any alignment
        shifted.insert(shifted.end(), c.theta.begin(), c.theta.end());
        got[k].resize(c.theta.size());
        for (int again = 0; again < 3; ++again)
          c.network->loss(*c.held, nullptr, 16, shifted.data() + k, got[k].data());
      });
    for (std::thread& t : threads) t.join();
    for (const std::vector<float>& g : got) EXPECT_EQ(g, expected) << spec.kind;
  }
}

}  // namespace
}  // namespace pollen::testing
