// Chains that share exchanges do not influence each other: a chain's draws do not depend on how many others there are,
// on how far ahead it may be, on threads, or on where a run was stopped. Exchanges are counted as they are made.
#include "exact/fleet.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "exact/engines.h"
#include "pollen/errors.h"
#include "support/problems.h"

namespace pollen::exact {
namespace {

const std::vector<const char*> kKernels = {"nuts", "hmc", "mala"};

std::vector<double> flat(ConstPanelView position) {
  std::vector<double> result;
  for (Index c = 0; c < position.columns; ++c) std::ranges::copy(position.column(c), std::back_inserter(result));
  return result;
}

// The positions and the transitions of all chains in some iterations.
std::vector<double> go_on(Engine& engine, int iterations) {
  std::vector<double> trace;
  for (int k = 0; k < iterations; ++k) {
    EXPECT_EQ(engine.advance(5), 1);
    std::ranges::copy(flat(engine.position()), std::back_inserter(trace));
    std::ranges::copy(engine.potentials(), std::back_inserter(trace));
    for (const Transition& t : engine.transitions())
      trace.insert(trace.end(), {t.accept, t.step, t.energy, static_cast<double>(t.leapfrogs)});
  }
  return trace;
}

struct Model {
  const char* name;
  Overrides keys;
};

// Models whose potentials take several columns at once, in the run's own coordinates and in others.
const std::vector<Model> kModels = {
    {"logistic", {"sampler.precondition=full"}},
    {"logistic_plain", {"sampler.precondition=none"}},
    {"gaussian_noise", {"model.kind=linear", "sampler.precondition=full"}},
    {"softmax", {"model.kind=softmax", "sampler.precondition=none"}},
    {"network", {"model.kind=mlp", "model.sizes=[3]", "sampler.max_depth=4"}},
};
void PrintTo(const Model& model, std::ostream* out) { *out << model.name; }

class Columns : public ::testing::TestWithParam<Model> {};

TEST_P(Columns, AChainIsTheSameWithAnyOthers) {
  const auto chain = [](int chains, int threads) {
    Overrides keys = GetParam().keys;
    keys.insert(keys.end(), {"sampler.name=nuts", "sampler.step=auto", "sampler.batch=1.0", "run.iterations=60",
                             "run.burn_in=40", fmt::format("run.chains={}", chains)});
    if (GetParam().name != std::string("network")) keys.emplace_back("run.init=prior");
    return testing::sample(testing::kLogistic, keys, threads);
  };
  const auto one = chain(1, 1), three = chain(3, 1), four = chain(4, 3);
  ASSERT_FALSE(one.draws[0].empty());
  EXPECT_EQ(one.draws[0], three.draws[0]);
  EXPECT_EQ(one.draws[0], four.draws[0]);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(three.draws[c], four.draws[c]) << c;
  EXPECT_NE(three.draws[0], three.draws[1]);
  // Chains share exchanges, so that four of them take hardly more rounds than the slowest of one to three.
  EXPECT_GE(four.counters.rounds, three.counters.rounds);
  EXPECT_LT(four.counters.rounds, 2 * one.counters.rounds);
}
INSTANTIATE_TEST_SUITE_P(Models, Columns, ::testing::ValuesIn(kModels), [](const auto& one) { return one.param.name; });

TEST(Fleet, HowFarAheadAChainMayBeChangesNoDraw) {
  const Federated on = matrices();
  const ReferenceProblem problem = on.problem(5);
  for (const char* kernel : kKernels) {
    const auto close = started(kernel, problem, {.warm_up = 60}, 0.1, 1);
    const std::vector<double> expected = go_on(*close, 100);
    for (const Index ahead : {2, 17, 1000}) {
      const auto far = started(kernel, problem, {.warm_up = 60}, 0.1, ahead);
      EXPECT_EQ(go_on(*far, 100), expected) << kernel << ' ' << ahead;
    }
  }
}

// A stop cuts trajectories off, which are made again from their random addresses.
TEST(Fleet, GoesOnFromASavedStateBitForBit) {
  const Federated on = logistic();
  const ReferenceProblem problem = on.problem(3);
  const Settings settings{.warm_up = 60};
  for (const char* kernel : kKernels)
    for (const int before : {0, 1, 20, 43, 59, 60, 75})  // within windows and searches, and after them
      for (const Index ahead : {1, 16}) {
        const auto engine = started(kernel, problem, settings, 0.1, ahead);
        for (int k = 0; k < before; ++k) engine->advance(1);
        Archive saved;
        engine->archive(saved);
        const Bytes bytes = saved.take();
        const std::vector<double> expected = go_on(*engine, 40);
        const auto other = started(kernel, problem, settings, 0.5, ahead);
        Archive loaded{ByteView(bytes)};
        other->archive(loaded);
        loaded.finish();
        EXPECT_EQ(other->iteration(), before);
        EXPECT_EQ(go_on(*other, 40), expected) << kernel << " after " << before;
      }
}

TEST(Fleet, ShortAndOddStatesAreRefused) {
  const Federated on = logistic();
  for (const char* kernel : kKernels) {
    const auto engine = started(kernel, on.problem(3), {.warm_up = 60});
    engine->advance(1);
    Archive saved;
    engine->archive(saved);
    const Bytes bytes = saved.take();
    Archive cut{ByteView(bytes).first(bytes.size() / 2)};
    EXPECT_THROW(engine->archive(cut), WireError);
    Archive whole{ByteView(bytes)};
    EXPECT_THROW(started(kernel, on.problem(4), {.warm_up = 60})->archive(whole), WireError);
  }
}

TEST(Fleet, DependsOnTheSeed) {
  const Federated on = logistic();
  for (const char* kernel : kKernels) {
    const auto trace = [&](std::uint64_t seed) {
      const ReferenceProblem problem = on.problem(2, seed);
      return go_on(*started(kernel, problem, {.warm_up = 20}), 30);
    };
    EXPECT_EQ(trace(1), trace(1)) << kernel;
    EXPECT_NE(trace(1), trace(2)) << kernel;
  }
}

// Every leapfrog step is a gradient of all rows, and the start needs one more.
TEST(Counts, LeapfrogStepsAreGradients) {
  const Federated on = logistic();
  const ReferenceProblem problem = on.problem(3);
  for (const char* kernel : kKernels) {
    const auto engine = started(kernel, problem, {.step = 0.05, .warm_up = 0});
    std::int64_t leapfrogs = 3;
    for (int k = 0; k < 30; ++k) {
      engine->advance(1);
      for (const Transition& t : engine->transitions()) leapfrogs += t.leapfrogs;
      EXPECT_EQ(engine->counters().gradients, 40 * leapfrogs) << kernel;
    }
  }
}

// A federation counts an exchange as a round: d numbers down and d + 1 up per client and chain that asks. The exchanges
// are as many as the chain with the most leapfrog steps needs, and one for the starts.
TEST(Counts, ExchangesAreRounds) {
  for (const char* kernel : kKernels) {
    struct Tally : testing::Collect {
      std::vector<std::int64_t> leapfrogs = std::vector<std::int64_t>(3, 0);
      void transitions(std::span<const Transition> all) override {
        for (std::size_t c = 0; c < all.size(); ++c) leapfrogs[c] += all[c].leapfrogs;
      }
    } tally;
    Experiment experiment(read_config_text(
        testing::kGaussian, "test.toml",
        {std::string("sampler.name=") + kernel, "sampler.step=0.3", "run.burn_in=0", "run.iterations=50"}));
    experiment.prepare();
    experiment.advance(50, tally);
    const Counters counted = experiment.counters();
    std::int64_t asked = 3;
    for (const std::int64_t n : tally.leapfrogs) asked += n;
    EXPECT_EQ(counted.rounds, 1 + *std::ranges::max_element(tally.leapfrogs)) << kernel;
    EXPECT_EQ(counted.messages, 3 * asked);
    EXPECT_EQ(counted.uplink_bits, 3 * asked * 64 * (2 + 1));
    EXPECT_EQ(counted.downlink_bits, 3 * asked * 64 * 2);
    EXPECT_EQ(counted.broadcast_bits, asked * 64 * 2);
    EXPECT_EQ(counted.gradients, 3 * asked);
    EXPECT_EQ(counted.uplink_bits_bound, static_cast<double>(counted.uplink_bits));
  }
}

// lp__ is at hand: it is the potential of the kept position, as a question of its own would find it.
TEST(Counts, LpCostsNothing) {
  const Overrides keys = {"sampler.name=nuts", "sampler.step=auto", "run.burn_in=20", "run.iterations=30",
                          "model.temperature=2.0"};
  Experiment experiment(read_config_text(testing::kGaussian, "test.toml", keys));
  experiment.prepare();
  struct Check : testing::Collect {
    Experiment* experiment;
    void kept(ConstPanelView position, std::span<const double> potential) override {
      std::vector<double> sum(3);
      const std::int64_t before = experiment->counters().uplink_bits;
      experiment->questions().transport().query({Query::What::value, position, {}}, {sum.data(), 1, 3, 1});
      for (Index c = 0; c < 3; ++c)
        EXPECT_NEAR(potential[static_cast<std::size_t>(c)],
                    sum[static_cast<std::size_t>(c)] + experiment->questions().prior().value(position.column(c)), 1e-9);
      EXPECT_EQ(experiment->counters().uplink_bits, before);
      ++count;
    }
    int count = 0;
  } check;
  check.experiment = &experiment;
  experiment.advance(30, check);
  EXPECT_EQ(check.count, 10);
}

TEST(Settings, WrongOnesAreNamed) {
  const Federated on = logistic();
  const auto refusal = [&](const char* kernel, const Settings& settings) -> std::string {
    try {
      started(kernel, on.problem(1), settings);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal("mala", {.step = -1.0}), ::testing::HasSubstr("sampler.step"));
  EXPECT_THAT(refusal("nuts", {.max_depth = 0}), ::testing::HasSubstr("sampler.max_depth"));
  EXPECT_THAT(refusal("hmc", {.trajectory = 0}), ::testing::HasSubstr("sampler.trajectory"));
  EXPECT_THAT(refusal("gibbs", {}), ::testing::HasSubstr("sampler.name"));
  EXPECT_EQ(refusal("hmc", {.max_depth = 0}), "");  // it does not read that one
}

}  // namespace
}  // namespace pollen::exact
