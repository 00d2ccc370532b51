// The built-in problem of `pollen run`, which newcomers see first, converges from any seed to the right posterior.
#include <gtest/gtest.h>

#include "whole_run.h"

namespace pollen {
namespace {

using testing::Whole;
using testing::whole_run;

class BuiltIn : public ::testing::TestWithParam<int> {};

TEST_P(BuiltIn, Converges) {
  const std::string seed = "seed=" + std::to_string(GetParam());
  const Whole run = whole_run(read_config_text(builtin_config(), "built-in", {seed}));
  EXPECT_LE(run.worst_rhat, 1.01);
  EXPECT_GE(run.least_ess, 400);
  EXPECT_TRUE(run.warnings.empty()) << run.warnings[0];
  RecordProperty("worst_rhat", std::to_string(run.worst_rhat));
  RecordProperty("least_ess", std::to_string(run.least_ess));
}

INSTANTIATE_TEST_SUITE_P(Seeds, BuiltIn, ::testing::Range(1, 6));

}  // namespace
}  // namespace pollen
