// Checks that two experiments are the same run: states, averages, counters and what belongs to single clients.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "run/experiment.h"

namespace pollen::testing {

inline void expect_same(const Experiment& a, const Experiment& b, const std::string& what) {
  ASSERT_EQ(a.position().columns, b.position().columns);
  for (Index c = 0; c < a.position().columns; ++c) {
    EXPECT_TRUE(std::ranges::equal(a.position().column(c), b.position().column(c))) << what;
    EXPECT_TRUE(std::ranges::equal(a.personal()->averaged().column(c), b.personal()->averaged().column(c))) << what;
  }
  EXPECT_EQ(a.counters().uplink_bits, b.counters().uplink_bits) << what;
  EXPECT_EQ(a.counters().setup_bits, b.counters().setup_bits) << what;
  EXPECT_EQ(a.counters().gradients, b.counters().gradients) << what;
  const OwnDraws of_a = a.personal()->own_draws(3, {.draws = 20}), of_b = b.personal()->own_draws(3, {.draws = 20});
  EXPECT_TRUE(std::ranges::equal(of_a.z.flat(), of_b.z.flat())) << what;
  EXPECT_EQ(of_a.mean, of_b.mean) << what;
}

}  // namespace pollen::testing
