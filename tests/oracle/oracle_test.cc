// The law of every oracle: its mean is the gradient (for the fixed point, the gradient minus that at the anchor).
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "oracle/oracles.h"
#include "pollen/errors.h"

namespace pollen {
namespace {

constexpr Index kRows = 13;
constexpr Index kFeatures = 3;

class OracleLaw : public ::testing::TestWithParam<std::string> {
 protected:
  OracleLaw() {
    normals(make_stream(3, 0, Purpose::synthetic), x_);
    for (std::size_t r = 0; r < y_.size(); ++r) y_[r] = r % 3 == 0 ? 1 : 0;
    ModelSpec spec;
    spec.family = &model_family("logistic");
    spec.features = kFeatures;
    potential_ = make_potential(spec, {{x_.data(), kRows, kFeatures, kFeatures}, y_.data()});
    for (Index c = 0; c < 2; ++c)
      for (Index j = 0; j < kFeatures; ++j) {
        position_.column(c)[static_cast<std::size_t>(j)] = 0.3 * static_cast<double>(j + 1) - static_cast<double>(c);
        anchor_.column(c)[static_cast<std::size_t>(j)] = 0.1 * static_cast<double>(c + j);
      }
    for (std::uint32_t c = 0; c < 2; ++c) streams_.push_back(make_stream(11, c, Purpose::minibatch));
  }

  static OracleKind kind() { return oracles().at(GetParam()).kind; }
  OracleInput input(std::uint64_t round) const { return {position_, chains_, anchor_, versions_, streams_, round, 4}; }

  std::vector<double> gradient(std::span<const double> at) {
    std::vector<double> g(kFeatures);
    potential_->gradient({at.data(), kFeatures, 1, kFeatures}, {g.data(), kFeatures, 1, kFeatures}, work_.scratch);
    return g;
  }

  std::vector<double> expected(Index c) {
    auto g = gradient(position_.column(c));
    if (kind() == OracleKind::fixed_point) {
      const auto at_anchor = gradient(anchor_.column(0));
      for (std::size_t j = 0; j < g.size(); ++j) g[j] -= at_anchor[j];
    }
    if (kind() == OracleKind::control) {
      const auto at_anchor = gradient(anchor_.column(c));
      for (std::size_t j = 0; j < g.size(); ++j) g[j] -= at_anchor[j];
    }
    return g;
  }

  std::unique_ptr<Oracle> make(Index batch) {
    auto oracle = make_oracle(GetParam(), *potential_, batch, 2);
    oracle->set_anchor(anchor_.column(0), gradient(anchor_.column(0)));
    return oracle;
  }

  std::vector<double> x_ = std::vector<double>(kRows * kFeatures);
  std::vector<double> y_ = std::vector<double>(kRows);
  std::unique_ptr<Potential> potential_;
  Panel position_{kFeatures, 2}, anchor_{kFeatures, 2};
  std::vector<std::uint32_t> chains_ = {0, 1};
  std::vector<std::uint64_t> versions_ = {1, 1};
  std::vector<Stream> streams_;
  Workspace work_;
};

TEST_P(OracleLaw, MeanOverMinibatchesIsTheGradient) {
  constexpr int kDraws = 20000;
  const auto oracle = make(4);
  Panel out(kFeatures, 2);
  std::vector<double> sum(2 * kFeatures), squares(2 * kFeatures);
  for (int n = 0; n < kDraws; ++n) {
    oracle->estimate(input(static_cast<std::uint64_t>(n) + 5), out, work_);
    for (Index c = 0; c < 2; ++c)
      for (std::size_t j = 0; j < kFeatures; ++j) {
        const double v = out.column(c)[j];
        const std::size_t at = static_cast<std::size_t>(c) * kFeatures + j;
        sum[at] += v;
        squares[at] += v * v;
      }
  }
  for (Index c = 0; c < 2; ++c) {
    const auto truth = expected(c);
    for (std::size_t j = 0; j < kFeatures; ++j) {
      const std::size_t at = static_cast<std::size_t>(c) * kFeatures + j;
      const double mean = sum[at] / kDraws;
      const double variance = squares[at] / kDraws - mean * mean;
      EXPECT_NEAR(mean, truth[j], 4.5 * std::sqrt(std::max(0.0, variance) / kDraws) + 1e-9);
      if (kind() != OracleKind::full) {
        EXPECT_GT(variance, 1e-4);
      }
    }
  }
}

TEST_P(OracleLaw, AllRowsIsExactAndDrawsNothing) {
  const auto oracle = make(kRows + 5);
  Panel first(kFeatures, 2), second(kFeatures, 2);
  EXPECT_EQ(oracle->estimate(input(1), first, work_), (kind() == OracleKind::control ? 4 : 2) * kRows);
  oracle->estimate(input(2), second, work_);
  for (Index c = 0; c < 2; ++c) {
    const auto truth = expected(c);
    for (std::size_t j = 0; j < kFeatures; ++j) {
      EXPECT_NEAR(first.column(c)[j], truth[j], 1e-12);
      EXPECT_EQ(first.column(c)[j], second.column(c)[j]);
    }
  }
}

std::string oracle_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::erase(name, '-');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Table, OracleLaw, ::testing::ValuesIn(oracles().names()), oracle_name);

class SvrgOracle : public OracleLaw {};

TEST_P(SvrgOracle, AtTheAnchorTheEstimateIsExact) {
  const auto oracle = make(2);
  versions_ = {8, 8};  // refreshed in round 7
  Panel out(kFeatures, 2);
  OracleInput at_anchor = input(7);
  at_anchor.position = anchor_;
  EXPECT_EQ(oracle->estimate(at_anchor, out, work_), 2 * kRows);
  for (Index c = 0; c < 2; ++c) {
    const auto truth = gradient(anchor_.column(c));
    for (std::size_t j = 0; j < kFeatures; ++j) EXPECT_NEAR(out.column(c)[j], truth[j], 1e-12);
  }
  // The anchor's gradient is not evaluated again until the version changes.
  EXPECT_EQ(oracle->estimate(input(8), out, work_), 2 * 2 * 2);
  versions_[1] = 10;
  EXPECT_EQ(oracle->estimate(input(10), out, work_), kRows + 2 * 2 * 2);
}

class ClippedOracle : public OracleLaw {
 protected:
  // Returns Σ_j ∇U_j min(1, clip/‖∇U_j‖), one row at a time.
  std::vector<double> clipped(std::span<const double> at, double clip) {
    std::vector<double> sum(kFeatures), one(kFeatures);
    for (std::uint32_t row = 0; row < kRows; ++row) {
      potential_->gradient_rows(at, {&row, 1}, one, work_.scratch);
      double norm = 0;
      for (const double g : one) norm += g * g;
      const double factor = std::min(1.0, clip / std::sqrt(norm));
      for (std::size_t j = 0; j < kFeatures; ++j) sum[j] += factor * one[j];
    }
    return sum;
  }
};

TEST_P(ClippedOracle, CutsEveryRowsGradient) {
  Panel out(kFeatures, 2);
  for (const double clip : {0.2, 0.7, 100.0}) {
    const auto oracle = make_clipped_oracle(*potential_, kRows, clip);
    EXPECT_EQ(oracle->estimate(input(1), out, work_), 2 * kRows);
    for (Index c = 0; c < 2; ++c) {
      const auto truth = clipped(position_.column(c), clip), whole = gradient(position_.column(c));
      double off = 0;
      for (std::size_t j = 0; j < kFeatures; ++j) {
        EXPECT_NEAR(out.column(c)[j], truth[j], 1e-12) << clip;
        off = std::max(off, std::abs(truth[j] - whole[j]));
      }
      EXPECT_EQ(off > 1e-3, clip < 1) << clip;
    }
  }
}

TEST_P(ClippedOracle, MinibatchesHaveItsMean) {
  constexpr int kDraws = 20000;
  const auto oracle = make_clipped_oracle(*potential_, 4, 0.3);
  Panel out(kFeatures, 2);
  std::vector<double> sum(kFeatures);
  for (int n = 0; n < kDraws; ++n) {
    oracle->estimate(input(static_cast<std::uint64_t>(n)), out, work_);
    for (std::size_t j = 0; j < kFeatures; ++j) sum[j] += out.column(0)[j] / kDraws;
  }
  const auto truth = clipped(position_.column(0), 0.3);
  for (std::size_t j = 0; j < kFeatures; ++j) EXPECT_NEAR(sum[j], truth[j], 0.05);
}

INSTANTIATE_TEST_SUITE_P(Clipped, ClippedOracle, ::testing::Values("minibatch"));

INSTANTIATE_TEST_SUITE_P(Svrg, SvrgOracle, ::testing::Values("svrg"));

TEST(Oracles, CanBeAdded) {
  const auto make = [](const Potential& potential, Index batch, Index chains) {
    return make_oracle("minibatch", potential, 2 * batch, chains);
  };
  if (oracles().find("twice") == nullptr)  // the table is the process's, and a test may run twice
    register_oracle({.name = "twice", .summary = "twice as many rows", .keys = "batch", .make = make});
  EXPECT_EQ(oracles().at("twice").kind, OracleKind::minibatch);
  EXPECT_THROW(register_oracle({.name = "svrg", .summary = "", .keys = "", .make = make}), std::invalid_argument);
  EXPECT_THROW(make_oracle("thrice", *make_gaussian({0}, {1}), 1, 1), ConfigError);
}

}  // namespace
}  // namespace pollen
