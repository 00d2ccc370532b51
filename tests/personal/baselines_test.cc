// What every baseline of the table must do: continue from a saved state, count what it sends, and run with some clients
// only.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "baselines_support.h"
#include "pollen/archive.h"
#include "pollen/errors.h"

namespace pollen {
namespace {

using testing::BaselineEngine;
using testing::make_mixed_tables;
using testing::model_of;
using testing::Quadratics;
using testing::start_of;
using testing::Vector;

BaselineSettings some_settings(Participation participation = {}) {
  return {.step = 0.02,
          .local_steps = 3,
          .server_step = 0.9,
          .penalty = 0.5,
          .adapt_mixture = true,
          .aggregate = 0.4,
          .head_steps = 2,
          .hessian_free = true,
          .participation = std::move(participation)};
}

Participation half() { return {.policy = ParticipationPolicy::bernoulli, .probability = {0.5}}; }

std::vector<Participation> every_way() {
  return {{},
          half(),
          {.policy = ParticipationPolicy::fixed_size, .probability = {}, .size = 3, .replacement = true},
          {.policy = ParticipationPolicy::bernoulli,
           .probability = {0.2, 0.5, 1, 0.5, 0.2, 0.5},
           .scaling = Scaling::inverse_probability},
          {.policy = ParticipationPolicy::bernoulli, .probability = {0.2}, .scaling = Scaling::inverse_probability}};
}

// Returns positions and every client's model after each of `rounds` rounds, and the counts.
std::vector<double> go_on(BaselineEngine& engine, const Quadratics& on, Index chains, int rounds) {
  std::vector<double> out;
  for (int t = 0; t < rounds; ++t) {
    engine.advance(1);
    for (Index c = 0; c < chains; ++c) {
      std::ranges::copy(engine.position().column(c), std::back_inserter(out));
      for (std::size_t i = 0; i < 6; ++i) {
        const Vector w = model_of(engine, on, i, c);
        out.insert(out.end(), w.begin(), w.end());
      }
    }
    const Counters& n = engine.counters();
    for (const std::int64_t count :
         {n.rounds, n.messages, n.uplink_bits, n.downlink_bits, n.broadcast_bits, n.gradients})
      out.push_back(static_cast<double>(count));
  }
  return out;
}

class EveryBaseline : public ::testing::TestWithParam<PersonalBaseline> {};

TEST_P(EveryBaseline, GoesOnFromASavedStateBitForBit) {
  const Quadratics on(2, 2);
  for (const Participation& who : every_way())
    for (const int before : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 17}) {
      auto engine = testing::begin(GetParam().name, on, some_settings(who), 2);
      for (int t = 0; t < before; ++t) engine->advance(1);
      Archive saved;
      engine->archive(saved);
      const Bytes bytes = saved.take();
      const auto expected = go_on(*engine, on, 2, 20);
      const auto other = std::make_unique<BaselineEngine>(GetParam().name, on.problem(2), some_settings(who), 2);
      Archive loaded{ByteView(bytes)};
      other->archive(loaded);
      loaded.finish();
      EXPECT_EQ(other->iteration(), before);
      EXPECT_EQ(go_on(*other, on, 2, 20), expected) << "after " << before;
      Archive cut{ByteView(bytes).first(bytes.size() / 2)};
      EXPECT_THROW(other->archive(cut), WireError);
    }
}

TEST_P(EveryBaseline, LowersTheLossOfWhatClientsPredictWith) {
  const Quadratics on(2, 2);
  const auto loss = [&](const BaselineEngine& engine, Index chain) {
    double sum = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      const Vector w = model_of(engine, on, i, chain);
      sum += on.weight[i] * (0.5 * w.dot(on.a[i] * w) - on.b[i].dot(w));
    }
    return sum;
  };
  for (const Participation& who : every_way()) {
    const auto engine = testing::begin(GetParam().name, on, some_settings(who), 2);
    const double first = loss(*engine, 0), second = loss(*engine, 1);
    for (int t = 0; t < 200; ++t) engine->advance(1);
    EXPECT_LT(loss(*engine, 0), first - 0.1);
    EXPECT_LT(loss(*engine, 1), second - 0.1);
  }
}

TEST_P(EveryBaseline, ClientsThatStayAwaySendNothing) {
  const Quadratics on(2, 2);
  const std::string name = GetParam().name;
  // The paper's number of words in each direction per client and round; φ has 2 and z has 2.
  const std::int64_t words = name == "local"                           ? 0
                             : name == "scaffold"                      ? 8
                             : name == "fedrep" || name == "lg-fedavg" ? 2
                                                                       : 4;
  const Participation two{.policy = ParticipationPolicy::fixed_size, .probability = {}, .size = 2};
  const auto engine = testing::begin(name, on, some_settings(two));
  for (int t = 0; t < 30; ++t) {
    std::vector<Vector> before;
    for (std::size_t i = 0; i < 6; ++i) before.push_back(model_of(*engine, on, i));
    engine->advance(1);
    if (name != "local" && name != "l2gd") continue;
    int moved = 0;
    for (std::size_t i = 0; i < 6; ++i) moved += model_of(*engine, on, i) != before[i] ? 1 : 0;
    EXPECT_LE(moved, 2);
  }
  const Counters& n = engine->counters();
  EXPECT_EQ(n.messages, 2 * n.rounds);
  EXPECT_EQ(n.rounds, name == "local" ? 0 : name == "l2gd" ? n.rounds : 30);
  EXPECT_EQ(n.uplink_bits, n.messages * words * 64);
  EXPECT_EQ(n.downlink_bits, n.uplink_bits);
  EXPECT_EQ(n.broadcast_bits, n.rounds * words * 64);
  EXPECT_GT(n.gradients, 0);
}

TEST_P(EveryBaseline, ChainsAreApartAndDependOnTheSeed) {
  const Quadratics on;
  const auto run = [&](Index chains, std::uint64_t seed) {
    const auto engine =
        std::make_unique<BaselineEngine>(GetParam().name, on.problem(chains, seed), some_settings(half()));
    engine->start(start_of(2, chains));
    for (int t = 0; t < 10; ++t) engine->advance(1);
    return std::vector<double>(engine->position().column(0).begin(), engine->position().column(0).end());
  };
  EXPECT_EQ(run(1, 1), run(3, 1));
  EXPECT_NE(run(1, 1), run(1, 2));
}

TEST_P(EveryBaseline, RunsOnEveryKindOfModelAndAnyNumberOfSharedCoefficients) {
  struct Kind {
    MixedKind kind;
    Index fixed;
    std::optional<double> noise_sd;
  };
  for (const Kind& k : {Kind{MixedKind::linear, 3, 0.7}, Kind{MixedKind::gaussian, 2, {}},
                        Kind{MixedKind::logistic, 2, {}}, Kind{MixedKind::gaussian, 0, 0.7}}) {
    const auto tables = make_mixed_tables(k.kind, 5, k.fixed, 2, k.noise_sd);
    PersonalProblem problem;
    problem.clients = PersonalClients(tables->pointers());
    BaselineSettings settings = some_settings();
    settings.step = 0.005;
    const auto engine = std::make_unique<BaselineEngine>(GetParam().name, problem, settings);
    engine->start(start_of(tables->spec.shared() + 2, 1));
    for (int t = 0; t < 20; ++t) engine->advance(1);
    for (const double x : engine->position().column(0)) EXPECT_TRUE(std::isfinite(x));
  }
}

TEST_P(EveryBaseline, RefusesWhatItCannotUse) {
  const Quadratics on;
  const std::string keys = GetParam().keys;
  const auto refuses = [&](const char* key, auto BaselineSettings::*field, auto value) {
    BaselineSettings settings = some_settings();
    settings.*field = value;
    if (keys.find(key) == std::string::npos) {
      EXPECT_NO_THROW(make_baseline(GetParam().name, on.problem(), settings)) << key;
    } else {
      EXPECT_THROW(make_baseline(GetParam().name, on.problem(), settings), ConfigError) << key;
    }
  };
  refuses("step", &BaselineSettings::step, 0.0);
  refuses("local_steps", &BaselineSettings::local_steps, Index{0});
  refuses("head_steps", &BaselineSettings::head_steps, Index{0});
  refuses("server_step", &BaselineSettings::server_step, -1.0);
  refuses("penalty", &BaselineSettings::penalty, -1.0);
  refuses(" mixture", &BaselineSettings::mixture, 1.5);
  refuses("aggregate", &BaselineSettings::aggregate, 1.0);
  refuses("inner_step", &BaselineSettings::inner_step, std::numeric_limits<double>::quiet_NaN());
}

TEST_P(EveryBaseline, SaysWhereAStepIsTooLong) {
  const Quadratics on;
  BaselineSettings settings = some_settings();
  settings.step = 1e6;
  const auto engine = testing::begin(GetParam().name, on, settings);
  EXPECT_THROW(for (int t = 0; t < 400; ++t) engine->advance(1), NumericError);
}

// One long step drives log σ up to where no gradient brings it back, although nothing is ever infinite.
TEST_P(EveryBaseline, SaysWhereTheNoiseRanAway) {
  const auto tables = make_mixed_tables(MixedKind::gaussian, 6, 1, 1, std::nullopt);
  PersonalProblem problem;
  problem.clients = PersonalClients(tables->pointers());
  BaselineSettings settings = some_settings();
  settings.step = 2;
  settings.inner_step = 0;
  settings.penalty = 0;
  const auto engine = std::make_unique<BaselineEngine>(GetParam().name, problem, settings);
  Panel start(3, 1);
  start.column(0)[1] = -3;  // σ is far too small
  engine->start(start);
  try {
    for (int t = 0; t < 50; ++t) engine->advance(1);
    ADD_FAILURE() << "went on to " << engine->position().column(0)[1];
  } catch (const NumericError& error) {
    EXPECT_NE(std::string(error.what()).find("log_sigma"), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(, EveryBaseline, ::testing::ValuesIn(baseline_table()), [](const auto& one) {
  std::string name = one.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(BaselineTable, NamesAreFoundAndSlipsAreSeen) {
  const Quadratics on;
  EXPECT_EQ(baseline_table().size(), 9U);
  for (const PersonalBaseline& baseline : baseline_table()) EXPECT_EQ(find_baseline(baseline.name), &baseline);
  EXPECT_EQ(find_baseline("fedsouk"), nullptr);
  EXPECT_THROW(make_baseline("fedrap", on.problem(), some_settings()), ConfigError);
  EXPECT_THROW(make_baseline("local", PersonalProblem{}, some_settings()), ConfigError);
}

}  // namespace
}  // namespace pollen
