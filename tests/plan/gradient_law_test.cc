// Bounds must bound: the exact stationary law of the gradient family on quadratic problems is within the bound.
#include <gtest/gtest.h>

#include "quadratic.h"
#include "stats/problems.h"

namespace pollen::plan {
namespace {

using stats::GradientLawOptions;
using stats::QuadraticProblem;

// Checks every round of a cycle and reports how far the bound is above the worst exact error.
void expect_bounded(const QuadraticProblem& problem, GradientLawOptions options, const Guarantee& g, const char* name) {
  for (const double part : {1.0, 0.3, 0.01}) {
    options.step = part * g.step();
    double worst = 0;
    for (const stats::Law& law : stats::gradient_family_law(problem, options))
      worst = std::max(worst, moment_w2_square(law, problem.target(options.temperature)));
    EXPECT_GE(g.limit(options.step), worst) << name << " at " << part << " of the admissible step";
    EXPECT_GT(worst, 0) << name;
  }
}

struct Setting {
  const char* name;
  GradientLawOptions options;
  Method method;
};

GradientLawOptions law(GradientLawOptions::Oracle oracle, bool compressed, const QuadraticProblem& problem) {
  GradientLawOptions o;
  o.oracle = oracle;
  o.batch = oracle == GradientLawOptions::Oracle::full ? 0 : 2;
  if (compressed) o.up = GradientLawOptions::Compressor::rand_k;
  o.anchor = problem.target().mean;
  return o;
}

std::vector<Setting> settings(const QuadraticProblem& problem, bool compressed) {
  using Oracle = GradientLawOptions::Oracle;
  using Who = GradientLawOptions::Participation;
  std::vector<Setting> all;
  const std::pair<Oracle, OracleKind> oracles[] = {{Oracle::full, OracleKind::full},
                                                   {Oracle::minibatch, OracleKind::minibatch},
                                                   {Oracle::fixed_point, OracleKind::fixed_point},
                                                   {Oracle::svrg, OracleKind::svrg}};
  const Participation coins{
      .policy = ParticipationPolicy::bernoulli, .probability = {0.5}, .scaling = Scaling::inverse_probability};
  const Participation active{.policy = ParticipationPolicy::bernoulli, .probability = {0.5}};
  const Participation two{.policy = ParticipationPolicy::fixed_size, .probability = {}, .size = 2};
  const Participation drawn{
      .policy = ParticipationPolicy::fixed_size, .probability = {}, .size = 2, .replacement = true};
  const std::pair<Who, Participation> policies[] = {{Who::full, {}},
                                                    {Who::bernoulli_inverse, coins},
                                                    {Who::bernoulli_active, active},
                                                    {Who::fixed_size, two},
                                                    {Who::fixed_size_replacement, drawn}};
  for (const auto& [oracle, kind] : oracles)
    for (const auto& [who, policy] : policies) {
      Setting s{"", law(oracle, compressed, problem), {}};
      s.options.participation = who;
      s.options.size = 2;
      s.options.probability = {0.5, 0.5, 0.5};
      s.method.oracle = kind;
      s.method.participation = policy;
      if (oracle == Oracle::svrg) {
        s.options.memory = s.method.memory_rate = compressed ? 0.5 : 1;
        s.method.memory = Memory::average;
        s.options.refresh = 3;
        s.method.refresh = 3;
      }
      s.name = kind == OracleKind::full        ? "full"
               : kind == OracleKind::minibatch ? "#"
               : kind == OracleKind::svrg      ? "++"
                                               : "*";
      all.push_back(s);
    }
  return all;
}

TEST(GradientLaw, EveryBoundIsAboveTheExactError) {
  const QuadraticProblem problem = stats::regression_problem();
  for (const bool compressed : {false, true})
    for (const Setting& s : settings(problem, compressed)) {
      const Constants c = constants_of(problem, s.options.batch, compressed ? 1 : 0);
      std::string why;
      const auto theorem = theorem_for(s.method, c, why);
      ASSERT_TRUE(theorem) << why;
      expect_bounded(problem, s.options, guarantee(*theorem, c, s.method), s.name);
    }
}

TEST(GradientLaw, TemperedTargets) {
  const QuadraticProblem problem = stats::regression_problem();
  Constants c = constants_of(problem, 2, 1);
  c.temperature = 0.2;
  GradientLawOptions options = law(GradientLawOptions::Oracle::minibatch, true, problem);
  options.temperature = 0.2;
  Method method;
  method.oracle = OracleKind::minibatch;
  expect_bounded(problem, options, guarantee(Theorem::qlsd, c, method), "tempered #");
}

// scaled(rand-k) is contractive with α = k/d. KL bounds become W2 bounds by Talagrand's inequality.
TEST(GradientLaw, Elf) {
  const QuadraticProblem problem = stats::regression_problem();
  const Constants c = constants_of(problem, 0, 1);
  for (const Theorem theorem : {Theorem::d_elf, Theorem::p_elf, Theorem::b_elf}) {
    GradientLawOptions options;
    Method method;
    if (theorem != Theorem::p_elf) {
      options.up = GradientLawOptions::Compressor::scaled_rand_k;
      options.error_feedback = true;
    }
    if (theorem != Theorem::d_elf) {
      options.down = GradientLawOptions::Compressor::scaled_rand_k;
      options.down_feedback = true;
      method.down_alpha = 0.5;
    }
    expect_bounded(problem, options, guarantee(theorem, c, method), "elf");
  }
}

}  // namespace
}  // namespace pollen::plan
