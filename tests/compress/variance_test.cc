// Tests the conditional variance of each coordinate against its closed form (docs/algorithms.md section 10). The exact
// laws of the samplers with qsgd and natural rest on it.
#include <functional>

#include "cases.h"
#include "support/norm.h"

namespace pollen::compress_tests {
namespace {

constexpr int kDraws = 40'000;

// Compares the mean of (C_j(v) - v_j)² with `expected(j)`, within five standard errors.
void expect_variances(const CompressorSpec& spec, const std::vector<double>& v,
                      const std::function<double(std::size_t)>& expected) {
  const auto compressor = make_compressor(spec, static_cast<Index>(v.size()));
  std::vector<double> decoded(v.size()), sum(v.size(), 0.0), squares(v.size(), 0.0);
  Scratch scratch;
  for (int draw = 0; draw < kDraws; ++draw) {
    compressor->encode(v, stream_of(static_cast<std::uint64_t>(draw)), decoded, nullptr, scratch);
    for (std::size_t j = 0; j < v.size(); ++j) {
      const double squared = (decoded[j] - v[j]) * (decoded[j] - v[j]);
      sum[j] += squared;
      squares[j] += squared * squared;
    }
  }
  for (std::size_t j = 0; j < v.size(); ++j) {
    const double mean = sum[j] / kDraws;
    const double error = std::sqrt(std::max(squares[j] / kDraws - mean * mean, 0.0) / kDraws);
    EXPECT_NEAR(mean, expected(j), 5 * error + 1e-9 * expected(j)) << j;
  }
}

TEST(Variance, Qsgd) {
  for (const std::uint32_t s : {1U, 4U, 16U, 256U}) {
    const std::vector<double> v = gaussian(50, s);
    double squared = 0;
    for (const double x : v) squared += x * x;
    const double sent = told_norm(std::sqrt(squared));
    expect_variances({.kind = "qsgd", .levels = s}, v, [&](std::size_t j) {
      const double x = std::abs(v[j]) * s / sent;
      const double f = x - std::floor(x);
      return sent / s * sent / s * f * (1 - f);
    });
  }
}

TEST(Variance, Natural) {
  const std::vector<double> v = gaussian(50);
  expect_variances({.kind = "natural"}, v, [&](std::size_t j) {
    const double low = std::exp2(std::floor(std::log2(std::abs(v[j]))));
    return (2 * low - std::abs(v[j])) * (std::abs(v[j]) - low);
  });
}

}  // namespace
}  // namespace pollen::compress_tests
