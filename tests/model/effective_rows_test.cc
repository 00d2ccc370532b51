// How many rows have a say in the answers at a point: all of them where their losses bend alike, and hardly any far
// away.
#include <gtest/gtest.h>

#include <cmath>

#include "model/problem.h"

namespace pollen::testing {
namespace {

constexpr Index kManyRows = 1500, kFeatures = 4;  // more than one block

// (Σv)²/Σv² by the plain formula.
double plain(const std::vector<double>& weights) {
  double sum = 0, squares = 0;
  for (const double v : weights) sum += v, squares += v * v;
  return sum * sum / squares;
}

TEST(EffectiveRows, AreThoseOfTheFormula) {
  for (const std::string kind : {"logistic", "poisson", "softmax"}) {
    const Case c = make_case(kind, kManyRows, kFeatures);
    const Panel at = c.chains(1, 3);
    Scratch scratch;
    std::vector<double> weights;
    for (Index r = 0; r < kManyRows; ++r) {
      const double* x = c.observations.x.row(r);
      std::vector<double> z(static_cast<std::size_t>(at.rows() / kFeatures));
      for (std::size_t k = 0; k < z.size(); ++k)
        for (std::size_t j = 0; j < kFeatures; ++j) z[k] += x[j] * at.column(0)[k * kFeatures + j];
      if (kind == "poisson") {
        weights.push_back(std::exp(z[0]));
      } else if (kind == "logistic") {
        const double p = 1 / (1 + std::exp(-z[0]));
        weights.push_back(p * (1 - p));
      } else {
        double total = 0, weight = 0;
        for (const double each : z) total += std::exp(each);
        for (const double each : z) weight += std::exp(each) / total * (1 - std::exp(each) / total);
        weights.push_back(weight);
      }
    }
    const auto found = c.potential->effective_rows(at.column(0), scratch);
    ASSERT_TRUE(found) << kind;
    EXPECT_NEAR(*found, plain(weights), 1e-6 * kManyRows) << kind;
    const std::vector<double> zero(static_cast<std::size_t>(at.rows()));
    EXPECT_NEAR(*c.potential->effective_rows(zero, scratch), kManyRows, 1e-6) << kind;
  }
}

TEST(EffectiveRows, AreFewFarAway) {
  Scratch scratch;
  for (const std::string kind : {"logistic", "softmax", "poisson"}) {
    const Case c = make_case(kind, kManyRows, kFeatures);
    std::vector<double> far(static_cast<std::size_t>(c.dimension()));
    for (std::size_t j = 0; j < far.size(); ++j) far[j] = 1e9 * (static_cast<double>(j) + 0.5);
    EXPECT_LT(c.potential->effective_rows(far, scratch).value_or(kManyRows), 10) << kind;
  }
}

TEST(EffectiveRows, AreUnknownWhereAllPointsAreAlike) {
  Scratch scratch;
  for (const std::string kind : {"linear", "linear-sigma", "gaussian-data"}) {
    const Case c = make_case(kind, kManyRows, kFeatures);
    const Panel at = c.chains(1, 3);
    EXPECT_FALSE(c.potential->effective_rows(at.column(0), scratch)) << kind;
  }
}

}  // namespace
}  // namespace pollen::testing
