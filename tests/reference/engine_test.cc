// What holds for every reference sampler: the saved state is the whole state, seeds matter, the counted bits are those
// exchanged, and wrong settings are named.
#include <gmock/gmock.h>

#include <algorithm>

#include "pollen/errors.h"
#include "support.h"

namespace pollen::reference {
namespace {

ReferenceSettings settings_for(const ReferenceSampler& sampler) {
  ReferenceSettings settings{.warm_up = 60, .refresh = 7, .local_steps = 3, .samples = 4, .local_burn_in = 2};
  if (sampler.needs_step) settings.step = 0.01;
  settings.batch.count = 3;
  return settings;
}

std::vector<double> flat(ConstPanelView position) {
  std::vector<double> result;
  for (Index c = 0; c < position.columns; ++c) std::ranges::copy(position.column(c), std::back_inserter(result));
  return result;
}

struct Trace {
  std::vector<double> positions;
  std::vector<bool> emitted;
  Counters counters;
};

Trace go_on(Engine& engine, int iterations) {
  Trace trace;
  for (int k = 0; k < iterations; ++k) {
    EXPECT_EQ(engine.advance(5), 1);
    const auto now = flat(engine.position());
    trace.positions.insert(trace.positions.end(), now.begin(), now.end());
    trace.emitted.push_back(engine.emits());
  }
  trace.counters = engine.counters();
  return trace;
}

bool same(const Counters& a, const Counters& b) {
  return a.rounds == b.rounds && a.messages == b.messages && a.uplink_bits == b.uplink_bits &&
         a.downlink_bits == b.downlink_bits && a.broadcast_bits == b.broadcast_bits && a.gradients == b.gradients;
}

class Every : public ::testing::TestWithParam<ReferenceSampler> {};

void goes_on(const char* name, const ReferenceSettings& settings) {
  const Federated on = logistic();
  const ReferenceProblem problem = on.problem(3);
  for (const int before : {0, 1, 20, 43, 59, 60, 75}) {  // within windows, fits and visits, and after them
    const auto engine = started(name, problem, settings, 0.1);
    for (int k = 0; k < before; ++k) engine->advance(1);
    Archive saved;
    engine->archive(saved);
    const Bytes bytes = saved.take();
    const Trace expected = go_on(*engine, 40);
    const auto other = make_reference(name, problem, settings);
    Archive loaded{ByteView(bytes)};
    other->archive(loaded);
    loaded.finish();
    EXPECT_EQ(other->iteration(), before);
    const Trace found = go_on(*other, 40);
    EXPECT_EQ(found.positions, expected.positions) << "after " << before;
    EXPECT_EQ(found.emitted, expected.emitted);
    EXPECT_TRUE(same(found.counters, expected.counters));
  }
}

TEST_P(Every, GoesOnFromASavedStateBitForBit) { goes_on(GetParam().name, settings_for(GetParam())); }

TEST(Fsgld, GoesOnFromASavedStateWithSwag) {
  ReferenceSettings settings = settings_for(*find_reference("fsgld"));
  settings.surrogate = "swag";
  goes_on("fsgld", settings);
}

TEST_P(Every, DependsOnTheSeedAndOnNothingElse) {
  const Federated on = logistic();
  const ReferenceSettings settings = settings_for(GetParam());
  std::vector<Trace> traces;
  for (const std::uint64_t seed : {1U, 1U, 2U}) {
    const ReferenceProblem problem = on.problem(3, seed);
    const auto engine = make_reference(GetParam().name, problem, settings);
    engine->start(start_at(problem, 0.1));
    traces.push_back(go_on(*engine, 70));
  }
  EXPECT_EQ(traces[0].positions, traces[1].positions);
  const bool moves = std::string(GetParam().name) != "ensemble";  // an ensemble's randomness is in the warm-up
  EXPECT_EQ(traces[0].positions != traces[2].positions, moves);
  EXPECT_TRUE(traces[0].emitted.back() || std::string(GetParam().name) == "fsgld");
  EXPECT_NE(std::ranges::count(traces[0].emitted, true), 0);
}

TEST_P(Every, ShortAndOddStatesAreRefused) {
  const Federated on = logistic();
  const ReferenceProblem problem = on.problem(3), other_problem = on.problem(4);
  const ReferenceSettings settings = settings_for(GetParam());
  const auto engine = make_reference(GetParam().name, problem, settings);
  engine->start(start_at(problem));
  Archive saved;
  engine->archive(saved);
  const Bytes bytes = saved.take();
  Archive cut{ByteView(bytes).first(bytes.size() / 2)};
  EXPECT_THROW(engine->archive(cut), WireError);
  Archive whole{ByteView(bytes)};
  EXPECT_THROW(make_reference(GetParam().name, other_problem, settings)->archive(whole), WireError);
}

INSTANTIATE_TEST_SUITE_P(, Every, ::testing::ValuesIn(reference_table()), [](const auto& one) {
  std::string name = one.param.name;
  std::ranges::replace(name, '-', '_');
  return name;
});

struct Bits {
  const char* name;
  int iterations;
  std::int64_t rounds, messages, up, down, broadcast, gradients;
};

// d = 2, 3 clients of 12, 8 and 20 rows, 3 chains, 60 iterations of warm-up, 3 local steps. A vector is 128 bits, or
// 384 for all chains.
TEST(Counts, AreWhatIsExchanged) {
  const Federated on = logistic();
  const ReferenceProblem problem = on.problem(3);
  const std::int64_t v = 384, all = 3 * v;
  const std::vector<Bits> cases = {
      {"ula", 10, 0, 0, 0, 0, 0, 10 * 3 * 40},
      {"sgld-pooled", 10, 0, 0, 0, 0, 0, 10 * 3 * 3},
      {"psgld", 10, 0, 0, 0, 0, 0, 10 * 3 * 3},
      {"svrg-ld", 14, 0, 0, 0, 0, 0, 3 * (2 * 40 + 12 * 6)},
      {"dg-lmc", 10, 10, 90, 10 * all, 10 * all, 10 * v, 10 * 3 * 3 * 9},
      {"fedavg", 10, 10, 90, 10 * all, 10 * all, 10 * v, 10 * 3 * 3 * 9},
      {"scaffold", 10, 10, 90, 20 * all, 20 * all, 20 * v, 10 * 3 * 3 * 9},
      {"fedpa", 10, 10, 90, 10 * all, 10 * all, 10 * v, 10 * 3 * 9 * (2 + 3 * 4)},
      // Surrogates of 2 + 3 words are sent once in each direction; then come 13 visits of 3 steps and the arrival of
      // the 14th.
      {"fsgld", 70, 13, 39, 3 * 5 * 64 + 13 * v, 3 * 5 * 64 + 14 * v, 5 * 64 + 14 * v, -1},
      {"consensus", 70, 10, 90, 3 * 3 * 64 + 10 * all, 0, 0, -1},
  };
  for (const Bits& one : cases) {
    const auto engine = started(one.name, problem, settings_for(*find_reference(one.name)));
    for (int k = 0; k < one.iterations; ++k) engine->advance(1);
    const Counters& c = engine->counters();
    EXPECT_EQ(c.rounds, one.rounds) << one.name;
    EXPECT_EQ(c.messages, one.messages) << one.name;
    EXPECT_EQ(c.uplink_bits, one.up) << one.name;
    EXPECT_EQ(c.downlink_bits, one.down) << one.name;
    EXPECT_EQ(c.broadcast_bits, one.broadcast) << one.name;
    if (one.gradients >= 0) {
      EXPECT_EQ(c.gradients, one.gradients) << one.name;
    } else {
      EXPECT_GT(c.gradients, 70 * 3 * 40);
    }
  }
}

// SWAG takes 30 minibatches per client and chain, and sends the means and variances of every chain.
TEST(Counts, SwagIsADescent) {
  const Federated on = logistic();
  ReferenceSettings settings = settings_for(*find_reference("fsgld"));
  settings.surrogate = "swag";
  const auto engine = make_reference("fsgld", on.problem(3), settings);
  engine->start(start_at(on.problem(3)));
  while (engine->iteration() < 30) engine->advance(1);
  EXPECT_EQ(engine->counters().gradients, 30 * 3 * 3 * 3);
  EXPECT_EQ(engine->counters().uplink_bits, 3 * 3 * 4 * 64);
  EXPECT_EQ(engine->counters().broadcast_bits, 3 * 4 * 64);
}

std::string refusal(const std::string& name, const ReferenceSettings& settings) {
  const Federated on = logistic();
  try {
    make_reference(name, on.problem(1), settings);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(Settings, WrongOnesAreNamed) {
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal("ulla", {}), HasSubstr("did you mean ula?"));
  EXPECT_THAT(refusal("ula", {}), HasSubstr("sampler.step"));
  EXPECT_THAT(refusal("ula", {.step = -1.0}), HasSubstr("sampler.step"));
  EXPECT_THAT(refusal("consensus", {.max_depth = 0}), HasSubstr("sampler.max_depth"));
  EXPECT_THAT(refusal("consensus", {.local_kernel = "gibbs"}), HasSubstr("\"nuts\" or \"mala\""));
  EXPECT_THAT(refusal("fsgld", {.step = 0.1, .surrogate = "laplace"}), HasSubstr("\"draws\" or \"swag\""));
  EXPECT_THAT(refusal("fsgld", {.step = 0.1, .swag_rate = 0.0}), HasSubstr("sampler.swag_rate"));
  EXPECT_THAT(refusal("consensus", {.warm_up = 2}), HasSubstr("sampler.warm_up"));
  EXPECT_THAT(refusal("fedpa", {.step = 0.1, .samples = 0, .shrinkage = -1}), HasSubstr("sampler.shrinkage"));
  EXPECT_EQ(refusal("ula", {.step = 0.1, .max_depth = 0}), "") << "a setting that is not read is not judged";
}

TEST(Settings, AnExplodingStepIsAnError) {
  const Federated on = matrices();
  const ReferenceProblem problem = on.problem(1);
  const auto engine = started("ula", problem, {.step = 10.0}, 1);
  EXPECT_THROW(for (int k = 0; k < 100; ++k) engine->advance(1), NumericError);
}

}  // namespace
}  // namespace pollen::reference
