// The law of every policy: each client's mean weight is one, so that weighted sums of messages are unbiased.
#include "round/participation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "pollen/round.h"

namespace pollen {
namespace {

struct Case {
  const char* name;
  Participation policy;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

const std::vector<Index> kSizes = {3, 1, 4, 1, 5};

ParticipationDraw make(const Participation& policy, bool coupled = false, std::uint64_t seed = 1) {
  return {policy, kSizes, 2, coupled, seed, true};
}

class ParticipationLaw : public ::testing::TestWithParam<Case> {};

TEST_P(ParticipationLaw, MeanWeightIsOne) {
  constexpr int kRounds = 60000;
  ParticipationDraw draw = make(GetParam().policy);
  Roster roster;
  std::vector<double> sum(10), squares(10);
  for (int round = 0; round < kRounds; ++round) {
    draw.draw(static_cast<std::uint64_t>(round), roster);
    std::uint32_t last = 0;
    for (const Roster::Entry& e : roster.clients) {
      EXPECT_TRUE(&e == &roster.clients.front() || e.client > last);
      last = e.client;
      for (std::size_t p = 0; p < e.count; ++p) {
        const double w = roster.weights(e)[p];
        const std::size_t at = roster.chains(e)[p] * 5 + e.client;
        sum[at] += w;
        squares[at] += w * w;
        if (roster.uniform) {
          EXPECT_EQ(w, roster.chain_weight[roster.chains(e)[p]]);
        }
      }
    }
  }
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const double mean = sum[i] / kRounds;
    const double error = std::sqrt(std::max(0.0, squares[i] / kRounds - mean * mean) / kRounds);
    EXPECT_NEAR(mean, 1, 4.5 * error + 1e-12) << "chain " << i / 5 << ", client " << i % 5;
  }
}

const Participation kBernoulli{ParticipationPolicy::bernoulli, {0.3}, Scaling::active, 0, false};
const Participation kInverse{ParticipationPolicy::bernoulli, {0.3}, Scaling::inverse_probability, 0, false};
const Participation kUnequal{
    ParticipationPolicy::bernoulli, {0.9, 0.1, 0.5, 0.9, 0.3}, Scaling::inverse_probability, 0, false};
const Participation kFixed{ParticipationPolicy::fixed_size, {}, Scaling::active, 2, false};
const Participation kReplacement{ParticipationPolicy::fixed_size, {}, Scaling::active, 3, true};

INSTANTIATE_TEST_SUITE_P(Policies, ParticipationLaw,
                         ::testing::Values(Case{"full", {}}, Case{"active", kBernoulli}, Case{"inverse", kInverse},
                                           Case{"unequal", kUnequal}, Case{"fixed", kFixed},
                                           Case{"replacement", kReplacement}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Participation, ActiveScalingNeverMeetsAnEmptySet) {
  ParticipationDraw draw = make({ParticipationPolicy::bernoulli, {0.01}, Scaling::active, 0, false});
  Roster roster;
  for (std::uint64_t round = 0; round < 2000; ++round) {
    draw.draw(round, roster);
    std::vector<int> chains(2);
    for (const std::uint32_t c : roster.chain) ++chains[c];
    EXPECT_GT(chains[0], 0);
    EXPECT_GT(chains[1], 0);
  }
}

TEST(Participation, InverseProbabilityMayMeetAnEmptySet) {
  ParticipationDraw draw = make({ParticipationPolicy::bernoulli, {0.05}, Scaling::inverse_probability, 0, false});
  Roster roster;
  int empty = 0;
  for (std::uint64_t round = 0; round < 500; ++round) {
    draw.draw(round, roster);
    empty += roster.clients.empty() ? 1 : 0;
  }
  EXPECT_GT(empty, 100);
}

TEST(Participation, CoupledChainsShareTheSetAndOthersDoNot) {
  Roster roster;
  for (const bool coupled : {true, false}) {
    ParticipationDraw draw = make(kFixed, coupled);
    int split = 0;
    for (std::uint64_t round = 0; round < 200; ++round) {
      draw.draw(round, roster);
      for (const Roster::Entry& e : roster.clients) split += e.count == 1 ? 1 : 0;
    }
    EXPECT_TRUE(coupled ? split == 0 : split > 100) << split;
  }
}

TEST(Participation, SeedsAndRoundsDiffer) {
  Roster a, b;
  ParticipationDraw one = make(kFixed, false, 1), two = make(kFixed, false, 2);
  int differ = 0;
  for (std::uint64_t round = 0; round < 100; ++round) {
    one.draw(round, a);
    two.draw(round, b);
    differ += a.chain != b.chain || a.clients.size() != b.clients.size() ? 1 : 0;
  }
  EXPECT_GT(differ, 20);
}

TEST(Participation, IsPartialIfAClientCanBeAbsent) {
  using enum ParticipationPolicy;
  EXPECT_FALSE(Participation{}.partial(3));
  EXPECT_TRUE((Participation{.policy = fixed_size, .probability = {}, .size = 2}.partial(3)));
  EXPECT_FALSE((Participation{.policy = fixed_size, .probability = {}, .size = 3}.partial(3)));
  EXPECT_TRUE((Participation{.policy = fixed_size, .probability = {}, .size = 3, .replacement = true}.partial(3)));
  EXPECT_TRUE((Participation{.policy = bernoulli, .probability = {0.9}}.partial(3)));
  EXPECT_FALSE((Participation{.policy = bernoulli, .probability = {1}}.partial(3)));
  EXPECT_FALSE((Participation{.policy = bernoulli, .probability = {0.5}}.partial(1))) << "empty rounds are drawn again";
  EXPECT_TRUE(
      (Participation{.policy = bernoulli, .probability = {0.5}, .scaling = Scaling::inverse_probability}.partial(1)));
}

}  // namespace
}  // namespace pollen
