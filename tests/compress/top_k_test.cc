// top-k against a plain sort: magnitudes descending, ties to the lower index.
#include <algorithm>
#include <numeric>

#include "cases.h"

namespace pollen::compress_tests {
namespace {

std::vector<double> top_by_sorting(const std::vector<double>& v, std::size_t k) {
  std::vector<std::size_t> order(v.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return std::abs(v[a]) > std::abs(v[b]); });
  std::vector<double> out(v.size(), 0.0);
  for (std::size_t i = 0; i < k; ++i) out[order[i]] = v[order[i]];
  return out;
}

void expect_top(const std::vector<double>& v) {
  const Index d = static_cast<Index>(v.size());
  for (const Index k : {Index{1}, Index{3}, d / 100, d / 10, d / 3, d - 1, d}) {
    if (k < 1 || k > d) continue;
    const auto compressor = make_compressor({.kind = "top-k", .k = k}, d);
    const Encoded made = encode(*compressor, v);
    EXPECT_TRUE(same_bits(made.decoded, top_by_sorting(v, static_cast<std::size_t>(k)))) << "d " << d << ", k " << k;
    EXPECT_TRUE(same_bits(made.decoded, decode(*compressor, made.payload, v.size())));
  }
}

class TopK : public testing::TestWithParam<Index> {};

TEST_P(TopK, Gaussian) { expect_top(gaussian(GetParam())); }

TEST_P(TopK, ManyTies) {
  std::vector<double> v = gaussian(GetParam());
  for (double& x : v) x = std::round(2 * x);
  expect_top(v);
}

TEST_P(TopK, AllEqual) {
  std::vector<double> v(static_cast<std::size_t>(GetParam()), -1.5);
  for (std::size_t j = 0; j < v.size(); j += 2) v[j] = 1.5;
  expect_top(v);
}

TEST_P(TopK, AscendingAndDescending) {
  std::vector<double> v(static_cast<std::size_t>(GetParam()));
  std::iota(v.begin(), v.end(), 1.0);
  expect_top(v);
  std::reverse(v.begin(), v.end());
  expect_top(v);
}

// The sample that guesses the threshold looks at equal strides: here it sees nothing but large values, then only small.
TEST_P(TopK, MisleadingStrides) {
  const std::size_t stride = std::max<std::size_t>(static_cast<std::size_t>(GetParam()) / 2048, 1);
  std::vector<double> v = gaussian(GetParam());
  for (std::size_t j = 0; j < v.size(); j += stride) v[j] += 100;
  expect_top(v);
  for (std::size_t j = 0; j < v.size(); j += stride) v[j] *= 1e-9;
  expect_top(v);
}

INSTANTIATE_TEST_SUITE_P(Sizes, TopK, testing::Values(1, 2, 50, 1000, 20'000, 70'001));

TEST(TopKNegativeZero, IsSentAsItIs) {
  const auto compressor = make_compressor({.kind = "top-k", .k = 2}, 3);
  const Encoded made = encode(*compressor, {-0.0, 0.0, 0.0});
  EXPECT_TRUE(same_bits(made.decoded, {-0.0, 0.0, 0.0}));
  EXPECT_TRUE(same_bits(made.decoded, decode(*compressor, made.payload, 3)));
}

}  // namespace
}  // namespace pollen::compress_tests
