// Tests the data of the linear mixed model: their law, the truth behind them, and what is refused.
#include <gmock/gmock.h>

#include <cmath>
#include <span>

#include "data/builtin.h"
#include "files.h"
#include "pollen/random.h"

namespace pollen {
namespace {

using testing::cell;
using testing::complaint;

// Returns a spec with 40 clients of 5 rows and 10 of 400, 4200 rows in all.
DataSpec mixed() {
  DataSpec spec;
  spec.sources = {"synthetic-mixed"};
  spec.clients = 50;
  spec.dimension = 7;
  spec.latent_dimension = 3;
  spec.min_size = 5;
  spec.max_size = 400;
  spec.small_share = 0.8;
  spec.test_fraction = 0.0;
  return spec;
}

Federation loaded(const DataSpec& spec, std::uint64_t seed = 4) {
  return load_federation(spec, TargetKind::real, seed, "");
}

// Returns y - xᵀΦz_i of every row.
std::vector<double> residuals(const DataSpec& spec, const Federation& data, const MixedTruth& truth) {
  std::vector<double> out;
  for (Index i = 0; i < spec.clients; ++i) {
    for (Index r = data.train_begin[static_cast<std::size_t>(i)]; r < data.train_begin[static_cast<std::size_t>(i) + 1];
         ++r) {
      double mean = 0.0;
      for (Index j = 0; j < spec.latent_dimension; ++j)
        for (Index f = 0; f < spec.dimension; ++f)
          mean += cell(data.train, r, f) * truth.phi[static_cast<std::size_t>(j * spec.dimension + f)] *
                  truth.z[static_cast<std::size_t>(i * spec.latent_dimension + j)];
      out.push_back(data.train.y[static_cast<std::size_t>(r)] - mean);
    }
  }
  return out;
}

double mean_square(std::span<const double> values) {
  double sum = 0.0;
  for (const double v : values) sum += v * v;
  return sum / static_cast<double>(values.size());
}

TEST(SyntheticMixed, HasItsSizesNamesAndNothingElse) {
  const Federation data = loaded(mixed());
  EXPECT_EQ(data.clients(), 50);
  for (Index i = 0; i < 50; ++i) EXPECT_EQ(data.train_rows(i), i < 40 ? 5 : 400);
  EXPECT_EQ(data.train.columns, 7);
  EXPECT_EQ(data.feature_names.front(), "x1");
  EXPECT_EQ(data.feature_names.back(), "x7");
  EXPECT_EQ(data.client_names.list().back(), "50");
  EXPECT_EQ(data.train.y.size(), 4200u);
  EXPECT_EQ(data.setup_bits, 0);
  EXPECT_TRUE(data.notes.empty());
}

TEST(SyntheticMixed, TheShareOfSmallClientsIsRounded) {
  DataSpec spec = mixed();
  spec.clients = 7;
  for (const auto& [share, small] : {std::pair{0.0, 0}, {0.5, 4}, {0.6, 4}, {0.65, 5}, {1.0, 7}}) {
    spec.small_share = share;
    const Federation data = loaded(spec);
    EXPECT_EQ(data.train.rows, small * 5 + (7 - small) * 400) << share;
  }
}

// x is N(0, 1), and y has variance noise² + mean over the rows of |z_i|². Bounds are five standard deviations.
TEST(SyntheticMixed, HasTheLawItClaims) {
  const DataSpec spec = mixed();
  const Federation data = loaded(spec);
  for (Index f = 0; f < 7; ++f) {
    std::vector<double> x;
    double mean = 0.0;
    for (Index r = 0; r < data.train.rows; ++r) mean += x.emplace_back(cell(data.train, r, f)) / 4200.0;
    EXPECT_NEAR(mean, 0.0, 5.0 / std::sqrt(4200.0));
    EXPECT_NEAR(mean_square(x), 1.0, 5.0 * std::sqrt(2.0 / 4200.0));
  }
  const MixedTruth truth = synthetic_mixed_truth(spec, 4);
  for (Index i = 40; i < 50; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double law = 0.1 + 3.0 * mean_square(std::span(truth.z).subspan(3 * at, 3));
    const auto from = static_cast<std::size_t>(data.train_begin[at]);
    EXPECT_NEAR(mean_square(std::span(data.train.y).subspan(from, 400)), law, 5.0 * law * std::sqrt(2.0 / 400.0));
  }
}

TEST(SyntheticMixed, LatentsHaveTheirSpread) {
  DataSpec spec = mixed();
  spec.clients = 2000;
  spec.max_size = 5;
  const double bound = 5.0 * std::sqrt(2.0 / 6000.0);
  EXPECT_NEAR(mean_square(synthetic_mixed_truth(spec, 1).z), 1.0, bound);
  spec.heterogeneity = 3.0;
  EXPECT_NEAR(mean_square(synthetic_mixed_truth(spec, 1).z), 9.0, 9.0 * bound);
  spec.heterogeneity = 0.0;
  EXPECT_EQ(mean_square(synthetic_mixed_truth(spec, 1).z), 0.0);
}

// The residuals must be the noise and nothing else.
TEST(SyntheticMixed, TheTruthIsWhatTheDataWereMadeFrom) {
  DataSpec spec = mixed();
  const MixedTruth truth = synthetic_mixed_truth(spec, 4);
  EXPECT_NEAR(mean_square(residuals(spec, loaded(spec), truth)), 0.1, 5.0 * 0.1 * std::sqrt(2.0 / 4200.0));
  EXPECT_GT(mean_square(residuals(spec, loaded(spec), synthetic_mixed_truth(spec, 5))), 1.0);
  spec.noise_sd = 2.0;
  EXPECT_NEAR(mean_square(residuals(spec, loaded(spec), truth)), 4.0, 5.0 * 4.0 * std::sqrt(2.0 / 4200.0));
  spec.noise_sd = 0.0;
  EXPECT_LT(mean_square(residuals(spec, loaded(spec), truth)), 1e-28);
}

// G = QR means that QᵀQ = I and that QᵀG is upper triangular with a positive diagonal. G is drawn from its address.
TEST(SyntheticMixed, PhiIsTheQOfNormals) {
  for (const auto& [k, d] : {std::pair{1, 1}, {7, 3}, {20, 20}, {300, 5}}) {
    DataSpec spec = mixed();
    spec.dimension = k;
    spec.latent_dimension = d;
    const auto size = static_cast<std::size_t>(k);
    const MixedTruth truth = synthetic_mixed_truth(spec, 9);
    ASSERT_EQ(truth.phi.size(), size * static_cast<std::size_t>(d));
    std::vector<double> normal(truth.phi.size());
    Stream stream = make_stream(9, 0, Purpose::synthetic);
    stream.client = 0xffffffff;
    stream.round = 1;
    normals(stream, normal);
    const auto product = [&](const std::vector<double>& with, int i, int j) {
      double sum = 0.0;
      for (std::size_t f = 0; f < size; ++f)
        sum += truth.phi[static_cast<std::size_t>(i) * size + f] * with[static_cast<std::size_t>(j) * size + f];
      return sum;
    };
    for (int i = 0; i < d; ++i) {
      for (int j = 0; j < d; ++j) EXPECT_NEAR(product(truth.phi, i, j), i == j ? 1.0 : 0.0, 1e-14);
      for (int j = 0; j < i; ++j) EXPECT_NEAR(product(normal, i, j), 0.0, 1e-12);
      EXPECT_GT(product(normal, i, i), 0.0);
    }
  }
}

TEST(SyntheticMixed, SeedsDecideAndClientsAreByAddress) {
  DataSpec spec = mixed();
  const Federation one = loaded(spec);
  EXPECT_EQ(one.train.x, loaded(spec).train.x);
  EXPECT_EQ(one.train.y, loaded(spec).train.y);
  EXPECT_NE(one.train.x, loaded(spec, 5).train.x);
  EXPECT_NE(one.train.y, loaded(spec, 5).train.y);
  EXPECT_NE(synthetic_mixed_truth(spec, 4).phi, synthetic_mixed_truth(spec, 5).phi);
  EXPECT_NE(synthetic_mixed_truth(spec, 4).z, synthetic_mixed_truth(spec, 5).z);
  spec.clients = 10;
  const Federation fewer = loaded(spec);
  for (std::size_t r = 0; r < 8 * 5; ++r) EXPECT_EQ(fewer.train.y[r], one.train.y[r]);
}

TEST(SyntheticMixed, WhatIsGivenHolds) {
  DataSpec spec = mixed();
  spec.heterogeneity = 1.0;
  spec.intercept = spec.standardize = false;
  EXPECT_EQ(loaded(spec).train.y, loaded(mixed()).train.y);
  EXPECT_EQ(loaded(spec).train.x, loaded(mixed()).train.x);
  spec.intercept = spec.standardize = true;
  const Federation asked = loaded(spec);
  EXPECT_EQ(asked.feature_names.front(), "intercept");
  EXPECT_GT(asked.setup_bits, 0);
}

TEST(Defaults, FollowFromTheSource) {
  DataSpec spec;
  spec.sources = {"synthetic-gaussian"};
  EXPECT_EQ(with_defaults(spec).heterogeneity, 5.0);
  EXPECT_EQ(with_defaults(spec).intercept, true);
  EXPECT_EQ(with_defaults(spec).standardize, true);
  spec.sources = {"synthetic-mixed"};
  EXPECT_EQ(with_defaults(spec).heterogeneity, 1.0);
  EXPECT_EQ(with_defaults(spec).intercept, false);
  EXPECT_EQ(with_defaults(spec).standardize, false);
}

TEST(SyntheticMixed, WrongKeys) {
  const auto says = [](const DataSpec& spec, TargetKind target) {
    return complaint([&] { load_federation(spec, target, 1, "e.toml"); });
  };
  for (const TargetKind target : {TargetKind::none, TargetKind::binary, TargetKind::classes, TargetKind::count})
    EXPECT_EQ(says(mixed(), target),
              "e.toml: data.source: found \"synthetic-mixed\", whose target is a number, accepted: with mixed-linear, "
              "mixed-gaussian or linear");
  DataSpec spec = mixed();
  spec.latent_dimension = 8;
  spec.noise_sd = -1.0;
  spec.small_share = 1.5;
  spec.heterogeneity = -2.0;
  const std::string problems =
      "data.heterogeneity: found -2, accepted: a number, 0 or above\n"
      "data.latent_dimension: found 8, accepted: 1 to data.dimension\n"
      "data.noise_sd: found -1, accepted: a number, 0 or above\n"
      "data.small_share: found 1.5, accepted: 0 to 1";
  EXPECT_EQ(complaint([&] { load_federation(spec, TargetKind::real, 1, ""); }), problems);
  EXPECT_EQ(complaint([&] { synthetic_mixed_truth(spec, 1); }), problems);
  spec = mixed();
  spec.latent_dimension = 0;
  spec.small_share = std::nan("");
  EXPECT_EQ(says(spec, TargetKind::real),
            "e.toml: data.latent_dimension: found 0, accepted: 1 to data.dimension\n"
            "e.toml: data.small_share: found nan, accepted: 0 to 1");
}

TEST(SyntheticMixed, TooLargeOrAnotherSource) {
  DataSpec spec = mixed();
  spec.max_size = 1'000'000'000;
  spec.clients = 100'000'000;
  EXPECT_NE(complaint([&] { loaded(spec); }).find("accepted: at most 1073741824 numbers"), std::string::npos);
  spec = mixed();
  spec.clients = 1;
  spec.small_share = 1.0;
  spec.dimension = spec.latent_dimension = 1'000'000;
  EXPECT_NE(complaint([&] { loaded(spec); }).find("synthetic-mixed: Phi: found 1000000 rows"), std::string::npos);
  spec.sources = {"titanic"};
  EXPECT_EQ(complaint([&] { synthetic_mixed_truth(spec, 1); }),
            "data.source: found \"titanic\", accepted: synthetic-mixed");
  spec.sources = {};
  EXPECT_NE(complaint([&] { synthetic_mixed_truth(spec, 1); }).find("data.source: found none"), std::string::npos);
}

}  // namespace
}  // namespace pollen
