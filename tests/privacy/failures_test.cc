// If an assumption fails, no number is given, and a sentence says which assumption it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "inputs.h"

namespace pollen {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

struct Failure {
  const char* name;
  const char* sentence;
  bool both;  // true if the Rényi accountant needs it, too
  std::function<void(PrivacyInputs&)> spoil;
};

class Failures : public ::testing::TestWithParam<Failure> {};

TEST_P(Failures, GiveNoNumber) {
  PrivacyInputs in = four_clients();
  ASSERT_TRUE(theorem_account(in, 10).epsilon);
  ASSERT_TRUE(renyi_account(renyi_curve(in), 1000, 1e-5).epsilon);
  GetParam().spoil(in);
  const PrivacyAccount theorem = theorem_account(in, 10);
  EXPECT_FALSE(theorem.epsilon || theorem.delta);
  EXPECT_THAT(theorem.why, Contains(HasSubstr(GetParam().sentence)));
  EXPECT_EQ(theorem_rounds(in, 1e300, 1000), 0);
  const RenyiAccount renyi = renyi_account(renyi_curve(in), 1000, 1e-5);
  EXPECT_EQ(renyi.epsilon.has_value(), !GetParam().both);
  EXPECT_EQ(renyi.delta.has_value(), !GetParam().both);
  EXPECT_EQ(renyi.why.empty(), !GetParam().both);
  if (GetParam().both) {
    EXPECT_THAT(renyi.why, Contains(HasSubstr(GetParam().sentence)));
  }
}

const double kNan = std::nan("");
const double kInf = HUGE_VAL;

INSTANTIATE_TEST_SUITE_P(
    All, Failures,
    ::testing::Values(
        Failure{"NoClip", "no clipping", true, [](auto& in) { in.sensitivity.reset(); }},
        Failure{"ZeroClip", "sensitivity is 0", true, [](auto& in) { in.sensitivity = 0; }},
        Failure{"InfiniteClip", "sensitivity is inf", true, [](auto& in) { in.sensitivity = kInf; }},
        Failure{"AllCommon", "correlation 1", true, [](auto& in) { in.correlation = 1; }},
        Failure{"CorrelationAbove", "correlation is 1.5", true, [](auto& in) { in.correlation = 1.5; }},
        Failure{"CorrelationNan", "correlation is nan", true, [](auto& in) { in.correlation = kNan; }},
        Failure{"Cold", "temperature is 0", true, [](auto& in) { in.temperature = 0; }},
        Failure{"NoStep", "step size is 0", true, [](auto& in) { in.step = 0; }},
        Failure{"StepNan", "step size is nan", true, [](auto& in) { in.step = kNan; }},
        Failure{"NoClients", "0 clients have shares", true, [](auto& in) { in.clients = {}; }},
        Failure{"BadRate", "shares of the rows", true, [](auto& in) { in.clients.distinct[0].rate = 0; }},
        Failure{"BadShare", "shares of the rows", true, [](auto& in) { in.clients.min_share = kNan; }},
        Failure{"NoLocalSteps", "0 local steps", true, [](auto& in) { in.local_steps = 0; }},
        Failure{"TooMany", "drawn per round is 5, it must be at least 1 and at most 4", true,
                [](auto& in) {
                  in.scheme = PrivacyScheme::two;
                  in.drawn = 5;
                }},
        Failure{"LongStep", "step size is 0.0002, the theorem holds up to 0.0001006", false,
                [](auto& in) { in.step = 2e-4; }},
        Failure{"RandomGaps", "random times", false, [](auto& in) { in.random_gaps = true; }},
        Failure{"NoDelta", "no delta is given", false, [](auto& in) { in.delta.reset(); }},
        Failure{"DeltaOne", "delta is 1", false, [](auto& in) { in.delta = 1; }},
        Failure{"DeltaZero", "delta_0 is 0", false, [](auto& in) { in.delta_0 = 0; }},
        Failure{"DeltaOneNegative", "delta_1 is -1", false, [](auto& in) { in.delta_1 = -1; }},
        Failure{"DeltasTooLarge", "above the 3e-06 asked for", false, [](auto& in) { in.delta_2 = 3e-6; }},
        Failure{"SumAboveOne", "at 1 or above", false,
                [](auto& in) {
                  in.delta.reset();
                  in.delta_0 = in.delta_1 = in.delta_2 = 0.5;
                }},
        Failure{"SharedDraw", "share who takes part", false,
                [](auto& in) {
                  in.scheme = PrivacyScheme::two;
                  in.adversary = Adversary::outside;
                  in.coupled = true;
                  in.chains = 2;
                }}),
    [](const auto& test) { return std::string(test.param.name); });

// The noise is so small that no finite result exists.
TEST(Failures, Overflow) {
  PrivacyInputs in = four_clients();
  in.temperature = 1e-300;
  in.step = 1e300;
  EXPECT_THAT(theorem_account(in, 10).why, Contains(HasSubstr("infinite")));
  const RenyiAccount renyi = renyi_account(renyi_curve(in), 10, 1e-5);
  EXPECT_FALSE(renyi.epsilon);
  EXPECT_THAT(renyi.why, Contains(HasSubstr("infinite")));
}

// Sharing who takes part is harmless if the account did not rely on it being secret.
TEST(Failures, SharedDrawSeenByTheServer) {
  PrivacyInputs in = four_clients();
  in.scheme = PrivacyScheme::two;
  in.coupled = true;
  in.chains = 2;
  EXPECT_TRUE(theorem_account(in, 10).epsilon);
}

TEST(Failures, AllAtOnce) {
  PrivacyInputs in = four_clients();
  in.correlation = 1;
  in.sensitivity.reset();
  in.random_gaps = true;
  EXPECT_EQ(theorem_account(in, 10).why.size(), 3u);
}

TEST(Failures, RenyiDelta) {
  const RenyiCurve curve = renyi_curve(four_clients());
  for (const double delta : {0.0, 1.0, -1.0, kNan}) EXPECT_FALSE(renyi_account(curve, 10, delta).epsilon) << delta;
  EXPECT_THAT(renyi_account(curve, -1, 1e-5).why, Contains(HasSubstr("number of steps is -1")));
}

}  // namespace
}  // namespace pollen
