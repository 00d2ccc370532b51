// Tests by enumeration the p that stands for a policy: Var(Σ w_i v_i) ≤ Σ (1-p)/p ‖v_i‖².
#include <gtest/gtest.h>

#include <cmath>

#include "plan/proofs.h"

namespace pollen::plan {
namespace {

Constants of(std::vector<double> rows) {
  Constants c;
  for (const double n : rows) c.clients.push_back({.rows = n});
  return c;
}

// Returns the variance of scalar messages; the bits of an index are a subset of three clients.
double variance(const std::vector<double>& mass, double v[3], const std::function<double(int)>& weight) {
  double mean = 0, square = 0;
  for (int set = 1; set < 8; ++set) {
    double sum = 0;
    for (int i = 0; i < 3; ++i)
      if (set >> i & 1) sum += weight(set) * v[i];
    mean += mass[static_cast<std::size_t>(set)] * sum;
    square += mass[static_cast<std::size_t>(set)] * sum * sum;
  }
  return square - mean * mean;
}

TEST(Participation, ActiveScalingAndFixedSize) {
  double cancel[3] = {1, -2, 1}, alike[3] = {1, 1, 1}, any[3] = {2, 0.3, -0.7};
  const double p = 0.4;
  std::vector<double> coins(8), pairs(8);
  for (int set = 1; set < 8; ++set) {
    const int size = __builtin_popcount(static_cast<unsigned>(set));
    coins[static_cast<std::size_t>(set)] = std::pow(p, size) * std::pow(1 - p, 3 - size) / (1 - std::pow(1 - p, 3));
    pairs[static_cast<std::size_t>(set)] = size == 2 ? 1.0 / 3 : 0;
  }
  Participation active{.policy = ParticipationPolicy::bernoulli, .probability = {p}};
  Participation two{.policy = ParticipationPolicy::fixed_size, .probability = {}, .size = 2};
  const auto weight = [](int set) { return 3.0 / __builtin_popcount(static_cast<unsigned>(set)); };
  for (const auto& [policy, mass] : {std::pair(active, coins), std::pair(two, pairs)}) {
    const Presence found = presences(policy, of({1, 1, 1}))[2];
    const double factor = (1 - found.weight) / found.weight;
    for (double* v : {cancel, alike, any}) {
      const double bound = factor * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
      EXPECT_LE(variance(mass, v, weight), bound * (1 + 1e-12));
    }
    // Messages that sum to zero attain the bound.
    EXPECT_NEAR(variance(mass, cancel, weight), factor * 6, 1e-12);
    double present = 0;
    for (std::size_t set = 4; set < 8; ++set) present += mass[set];
    EXPECT_NEAR(found.present, present, 1e-12);
  }
}

TEST(Participation, OtherPolicies) {
  const Constants c = of({1, 3});
  EXPECT_EQ(presences({}, c)[1].weight, 1);
  const Participation coins{
      .policy = ParticipationPolicy::bernoulli, .probability = {0.2, 0.7}, .scaling = Scaling::inverse_probability};
  EXPECT_EQ(presences(coins, c)[1].weight, 0.7);
  EXPECT_EQ(presences(coins, c)[0].present, 0.2);
  // Three draws with shares 1/4 and 3/4 give (1-p)/p = 1/(3/4) and 1/(9/4).
  const Participation drawn{
      .policy = ParticipationPolicy::fixed_size, .probability = {}, .size = 3, .replacement = true};
  EXPECT_NEAR(presences(drawn, c)[0].weight, 0.75 / 1.75, 1e-15);
  EXPECT_NEAR(presences(drawn, c)[1].weight, 2.25 / 3.25, 1e-15);
  EXPECT_NEAR(presences(drawn, c)[0].present, 1 - 27.0 / 64, 1e-15);
  // Drawing all of them without replacement leaves nobody out.
  const Participation all{.policy = ParticipationPolicy::fixed_size, .probability = {}, .size = 2};
  EXPECT_EQ(presences(all, c)[0].weight, 1);
  const Participation one{.policy = ParticipationPolicy::bernoulli, .probability = {0.1}};
  EXPECT_EQ(presences(one, of({5}))[0].weight, 1);  // an empty set is drawn again
}

}  // namespace
}  // namespace pollen::plan
