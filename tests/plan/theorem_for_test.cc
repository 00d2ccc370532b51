// Tests which theorem covers which method, and what is said if none does.
#include <gtest/gtest.h>

#include "cases.h"

namespace pollen::plan {
namespace {

TEST(TheoremFor, EverySamplerWithATheorem) {
  for (const Case& one : all_cases()) {
    Constants c = mixed_constants();
    if (one.method.down_feedback)
      for (ClientConstants& client : c.clients) client.omega = 0;
    std::string why;
    const auto found = theorem_for(one.method, c, why);
    ASSERT_TRUE(found) << one.name << why;
    EXPECT_EQ(*found, one.theorem) << one.name;
  }
}

void expect_none(const Method& method, const char* text) {
  std::string why;
  EXPECT_FALSE(theorem_for(method, mixed_constants(), why));
  EXPECT_EQ(why.find("no theorem covers this combination: "), 0U);
  EXPECT_NE(why.find(text), std::string::npos) << why;
}

TEST(TheoremFor, SaysWhatIsInTheWayOfTheGradientFamily) {
  Method m;
  m.memory = Memory::feedback;
  m.oracle = OracleKind::minibatch;
  expect_none(m, "stochastic gradients");
  m.oracle = OracleKind::full;
  m.participation = gradient_method(OracleKind::full).participation;
  expect_none(m, "partial participation");
  m = {};
  m.oracle = OracleKind::svrg;
  expect_none(m, "without memory");
  m.oracle = OracleKind::minibatch;
  m.memory = Memory::average;
  expect_none(m, "gradients other than svrg");
  m = {};
  m.down_feedback = true;
  expect_none(m, "unbiased compression up");
}

TEST(TheoremFor, SaysWhatIsInTheWayOfAveraging) {
  expect_none(averaging_method({.by_size = true}), "weights N_i/N");
  Method m = averaging_method({});
  m.participation = gradient_method(OracleKind::full).participation;
  expect_none(m, "random gaps");
  m.averaging->random = false;
  m.averaging->by_size = true;
  expect_none(m, "independent coins");
  expect_none(averaging_method({.random = false, .control_variate = true}), "VR-FALD*");
  m = averaging_method({});
  m.oracle = OracleKind::svrg;
  expect_none(m, "svrg");
}

TEST(TheoremFor, AsksForConvexity) {
  Constants c = mixed_constants();
  std::string why;
  c.clients[1].convexity = 0;
  EXPECT_TRUE(theorem_for(averaging_method({}), c, why));  // FALD only needs the constant of the mean
  EXPECT_FALSE(theorem_for(averaging_method({.random = false, .by_size = true}), c, why));
  EXPECT_NE(why.find("every client"), std::string::npos);
  c.convexity = 0;
  EXPECT_FALSE(theorem_for({}, c, why));
  EXPECT_NE(why.find("strongly convex"), std::string::npos);
}

// ELF's paper asks for a log-Sobolev inequality, but the bound on its start needs strong convexity.
TEST(TheoremFor, ErrorFeedbackNeedsStrongConvexity) {
  Constants c = mixed_constants();
  c.convexity = 0;
  for (const Case& one : all_cases()) {
    if (!one.name.ends_with("elf")) continue;
    std::string why;
    EXPECT_FALSE(theorem_for(one.method, c, why)) << one.name;
    EXPECT_NE(why.find("strongly convex"), std::string::npos) << why;
  }
}

// Without constants of curvature the theorem that would be used is named.
TEST(TheoremFor, NamesTheTheoremThatNeedsConstants) {
  Constants c = mixed_constants();
  c.unbounded = "a network";
  for (const Case& one : all_cases()) {
    std::string why;
    if (one.method.down_feedback)
      for (ClientConstants& client : c.clients) client.omega = 0;
    EXPECT_FALSE(theorem_for(one.method, c, why)) << one.name;
    EXPECT_NE(why.find("Theorem"), std::string::npos) << why;
    EXPECT_NE(why.find("a network has neither"), std::string::npos) << why;
  }
}

// Memories cancel if nothing is compressed and nobody is absent.
TEST(TheoremFor, IdleMemoryIsNoObstacle) {
  Constants c = mixed_constants();
  for (ClientConstants& client : c.clients) client.omega = 0;
  Method m;
  m.oracle = OracleKind::svrg;
  std::string why;
  EXPECT_EQ(theorem_for(m, c, why), Theorem::qlsd_pp);
  m.oracle = OracleKind::minibatch;
  m.memory = Memory::average;
  EXPECT_EQ(theorem_for(m, c, why), Theorem::qlsd);
}

}  // namespace
}  // namespace pollen::plan
