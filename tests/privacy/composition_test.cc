#include "privacy/composition.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pollen::privacy {
namespace {

TEST(Composition, Formulas) {
  EXPECT_NEAR(compose(0.01, 1000, 1e-6), 0.01 * (std::sqrt(2000 * std::log(1e6)) + 1000 * (std::exp(0.01) - 1)), 1e-13);
  EXPECT_EQ(compose(0.01, 3, 1e-6), 0.01 * 3);
  EXPECT_EQ(compose(0.01, 1000, 0), 0.01 * 1000);
  EXPECT_NEAR(amplify(0.5, 0.2), std::log(1 + 0.2 * (std::exp(0.5) - 1)), 1e-15);
  EXPECT_NEAR(amplify(3, 0.2), std::log(1 + 0.2 * (std::exp(3) - 1)), 1e-15);
  EXPECT_EQ(amplify(3, 1), 3);
}

// Nothing overflows before the result does, and no digits are lost near zero.
TEST(Composition, Extremes) {
  EXPECT_EQ(compose(1000, 5, 1e-6), 5000);
  EXPECT_NEAR(amplify(1000, 0.25), 1000 + std::log(0.25), 1e-12);
  EXPECT_NEAR(amplify(1e-12, 0.25) / 0.25e-12, 1, 1e-11);
  EXPECT_NEAR(log_expm1(1000), 1000, 1e-12);
  EXPECT_NEAR(log_expm1(1e-20), std::log(1e-20), 1e-12);
  EXPECT_NEAR(log_expm1(1 - 1e-15), log_expm1(1), 1e-14);
}

}  // namespace
}  // namespace pollen::privacy
