// Declared bias and variance of every compressor, over kDraws draws; a bound may be missed by five standard errors.
#include "cases.h"

namespace pollen::compress_tests {
namespace {

constexpr int kDraws = 20'000;
constexpr Index kDimensions[] = {1, 5, 60};

struct Mean {
  double sum = 0, squares = 0;

  void add(double x) {
    sum += x;
    squares += x * x;
  }
  double value() const { return sum / kDraws; }
  double error() const { return std::sqrt(std::max(squares / kDraws - value() * value(), 0.0) / kDraws); }
};

struct Moments {
  std::vector<Mean> coordinates;
  Mean squared_error;
  double largest_error = 0;  // of a coordinate in a draw
};

Moments moments(const Compressor& compressor, const std::vector<double>& v) {
  Moments found{std::vector<Mean>(v.size()), {}, 0};
  std::vector<double> decoded(v.size());
  Scratch scratch;
  for (int draw = 0; draw < kDraws; ++draw) {
    compressor.encode(v, stream_of(static_cast<std::uint64_t>(draw)), decoded, nullptr, scratch);
    for (std::size_t j = 0; j < v.size(); ++j) {
      found.coordinates[j].add(decoded[j]);
      found.largest_error = std::max(found.largest_error, std::abs(decoded[j] - v[j]));
    }
    found.squared_error.add(squared_distance(decoded, v));
  }
  return found;
}

class Law : public testing::TestWithParam<Case> {
 protected:
  // Dense, sparse and equal coordinates, all magnitudes; what is too small for a law to hold is not here.
  static std::vector<std::vector<double>> some(Index d) {
    std::vector<std::vector<double>> all = vectors(d);
    all.resize(5);
    return all;
  }
  static double squared_norm(const std::vector<double>& v) {
    return squared_distance(v, std::vector<double>(v.size(), 0.0));
  }
};

TEST_P(Law, MeanIsTheVector) {
  for (const Index d : kDimensions) {
    const auto compressor = GetParam().make(d);
    if (!compressor->unbiased() && !GetParam().spec.scaled) continue;
    const double factor = GetParam().spec.scaled ? compressor->alpha(d) : 1;  // C/(ω+1), and α = 1/(ω+1)
    for (const std::vector<double>& v : some(d)) {
      const Moments found = moments(*compressor, v);
      // Float32 words and norms; coordinates so small that hardly any draw rounds them up.
      const double slack = 1e-7 * std::sqrt(squared_norm(v)) + 10 * found.largest_error / kDraws;
      for (std::size_t j = 0; j < v.size(); ++j) {
        EXPECT_NEAR(found.coordinates[j].value(), factor * v[j], 5 * found.coordinates[j].error() + slack) << j;
      }
    }
  }
}

TEST_P(Law, ErrorIsWithinOmegaAndAlpha) {
  for (const Index d : kDimensions) {
    const auto compressor = GetParam().make(d);
    for (const std::vector<double>& v : some(d)) {
      const Mean error = moments(*compressor, v).squared_error;
      const double slack = 5 * error.error() + 1e-7 * squared_norm(v);
      EXPECT_LE(error.value(), compressor->omega(d) * squared_norm(v) + slack);
      if (compressor->alpha(d) > 0) {
        EXPECT_LE(error.value(), (1 - compressor->alpha(d)) * squared_norm(v) + slack);
      }
      if (GetParam().spec.kind == "rand-k") {
        EXPECT_NEAR(error.value(), compressor->omega(d) * squared_norm(v), slack);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Law, testing::ValuesIn(cases()), case_name);

}  // namespace
}  // namespace pollen::compress_tests
