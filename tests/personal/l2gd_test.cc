// Compares L2GD with its recursion under the same coins, and the mean of its path with the problem it solves.
#include <gtest/gtest.h>

#include <algorithm>

#include "baselines_support.h"

namespace pollen {
namespace {

using testing::after;
using testing::begin;
using testing::first_position;
using testing::model_of;
using testing::near;
using testing::Quadratics;
using testing::Vector;

TEST(L2gd, WithoutAggregationIsLocal) {
  const Quadratics on;
  const auto local = after(40, "local", on, {.step = 0.05, .local_steps = 1});
  const auto engine = after(40, "l2gd", on, {.step = 0.05, .aggregate = 0});
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(model_of(*engine, on, i), model_of(*local, on, i));
  EXPECT_EQ(engine->counters().uplink_bits, 0);
  EXPECT_EQ(engine->counters().rounds, 0);
}

TEST(L2gd, FollowsItsCoins) {
  const Quadratics on;
  const double step = 0.05, penalty = 2, p = 0.4;
  const auto engine = begin("l2gd", on, {.step = step, .penalty = penalty, .aggregate = p});
  std::vector<Vector> w(6, first_position(on));
  Stream coins = make_stream(1, 0, Purpose::baseline);
  std::int64_t exchanges = 0;
  bool last = false;
  for (std::uint64_t t = 0; t < 200; ++t) {
    coins.round = t;
    const bool aggregate = Sequence(coins).uniform() < p;
    Vector mean = Vector::Zero(2);
    for (std::size_t i = 0; i < 6; ++i) mean += on.weight[i] * w[i];
    for (std::size_t i = 0; i < 6; ++i)
      w[i] -= aggregate ? Vector(step * penalty / p * (w[i] - mean)) : Vector(step / (1 - p) * on.slope(i, w[i]));
    exchanges += aggregate && !last ? 1 : 0;  // after an aggregation the mean is known
    last = aggregate;
    engine->advance(1);
  }
  for (std::size_t i = 0; i < 6; ++i) near(model_of(*engine, on, i), w[i], 1e-11);
  EXPECT_GT(exchanges, 20);
  EXPECT_EQ(engine->counters().rounds, exchanges);
  EXPECT_EQ(engine->counters().uplink_bits, exchanges * 6 * 2 * 64);
  EXPECT_EQ(engine->counters().downlink_bits, exchanges * 6 * 2 * 64);
}

// With other clients in every round the mean changes, so every aggregation is sent.
TEST(L2gd, WithSomeClientsEveryAggregationIsSent) {
  const Quadratics on;
  const Participation two{.policy = ParticipationPolicy::fixed_size, .probability = {}, .size = 2};
  const auto engine = after(200, "l2gd", on, {.step = 0.05, .aggregate = 0.4, .participation = two});
  Stream coins = make_stream(1, 0, Purpose::baseline);
  std::int64_t aggregations = 0;
  for (coins.round = 0; coins.round < 200; ++coins.round) aggregations += Sequence(coins).uniform() < 0.4 ? 1 : 0;
  EXPECT_EQ(engine->counters().rounds, aggregations);
  EXPECT_EQ(engine->counters().uplink_bits, aggregations * 2 * 2 * 64);
  EXPECT_EQ(engine->counters().broadcast_bits, aggregations * 2 * 64);
}

// The path's mean m_i satisfies ∇f_i(m_i) + λ (m_i - m̄) = (w_i at the start - w_i at the end)/(γT) + the mean of the
// noise of T coins. A coin's sd is at most √(p(1-p)) (|∇f_i|/(1-p) + λ|w_i - w̄|/p), which is below 6.2 if both are
// below 3, so five sd of 100,000 coins are 0.1.
TEST(L2gd, ItsMeanSolvesThePenalisedProblem) {
  const Quadratics on;
  const double step = 0.02, penalty = 1;
  const int steps = 100000;
  const auto engine = begin("l2gd", on, {.step = step, .penalty = penalty, .aggregate = 0.4});
  std::vector<Vector> path(6, Vector::Zero(2));
  Vector mean = Vector::Zero(2);
  for (int t = 0; t < steps; ++t) {
    engine->advance(1);
    for (std::size_t i = 0; i < 6; ++i) path[i] += model_of(*engine, on, i) / steps;
  }
  for (std::size_t i = 0; i < 6; ++i) mean += on.weight[i] * path[i];
  double away = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_LE((on.slope(i, path[i]) + penalty * (path[i] - mean)).cwiseAbs().maxCoeff(), 0.1) << i;
    away = std::max(away, on.slope(i, path[i]).norm());
  }
  EXPECT_GT(away, 0.3);  // the penalty has an effect
}

}  // namespace
}  // namespace pollen
