// Tests simulated time: by hand if nothing is random, and that it never changes the run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "pollen/errors.h"
#include "run/planning.h"
#include "run/simulated_clock.h"
#include "support/problems.h"

namespace pollen {
namespace {

using testing::Collect;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::kGaussian;
using testing::kLogistic;

// All clients are the same: 1 kbit/s up, 10 down, 0.1 s each way, 50 gradients per second.
const Overrides kEqual = {"network.uplink_mbps=0.001",       "network.downlink_mbps=0.01", "network.latency_ms=100",
                          "network.gradients_per_second=50", "network.uplink_spread=0",    "network.downlink_spread=0",
                          "network.latency_spread=0",        "network.gradients_spread=0", "network.jitter_spread=0"};

double seconds(double down_bits, double gradients, double up_bits) {
  return (down_bits > 0 ? 0.1 + down_bits / 1e4 : 0) + gradients / 50 + (up_bits > 0 ? 0.1 + up_bits / 1e3 : 0);
}

Overrides join(Overrides a, const Overrides& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

struct Watched {
  SimulatedTime after_setup, end;
  Counters counters;
  std::vector<std::vector<double>> draws;
};

Watched watch(const std::string& text, const Overrides& overrides, int threads = 1) {
  Experiment experiment(read_config_text(text, "test.toml", overrides), {.threads = threads});
  experiment.prepare();
  Watched out;
  if (experiment.simulated() != nullptr) out.after_setup = *experiment.simulated();
  Collect collect;
  experiment.advance(experiment.config().run.iterations, collect);
  if (experiment.simulated() != nullptr) out.end = *experiment.simulated();
  out.counters = experiment.counters();
  out.draws = collect.draws;
  return out;
}

TEST(NetworkTime, ARoundByHand) {
  // Two dimensions and three chains make 384 bits each way and three gradients (a client's potential counts as one
  // row).
  const Watched run = watch(kGaussian, join(kEqual, {"run.iterations=10", "network.server_seconds=0.25"}));
  EXPECT_EQ(run.end.setup, 0);
  EXPECT_NEAR(run.end.total(), 10 * (seconds(384, 3, 384) + 0.25), 1e-9);
  EXPECT_NEAR(run.end.up, 10 * (0.1 + 0.384), 1e-9);
  EXPECT_NEAR(run.end.down, 10 * (0.1 + 0.0384), 1e-9);
  EXPECT_NEAR(run.end.computing, 10 * 0.06, 1e-9);
  EXPECT_NEAR(run.end.server, 2.5, 1e-12);
  EXPECT_EQ(run.end.waiting, 0);
}

TEST(NetworkTime, LocalStepsByHand) {
  for (const char* cut : {"30", "7"}) {  // however the steps of a round are cut
    Experiment experiment(read_config_text(
        kGaussian, "test.toml",
        join(kEqual, {"sampler.name=fald", "sampler.local_steps=5", "run.iterations=30", "sampler.step=0.01"})));
    experiment.prepare();
    Collect collect;
    while (experiment.iteration() < 30)
      experiment.advance(std::min<std::int64_t>(std::stoi(cut), 30 - experiment.iteration()), collect);
    EXPECT_NEAR(experiment.simulated()->total(), 6 * seconds(384, 15, 384), 1e-9);
  }
}

// Every iteration has a refresh: positions go up; Y comes down, a gradient is computed and goes up; C comes down with
// the next segment of one step.
TEST(NetworkTime, RefreshesByHand) {
  const Watched run =
      watch(kGaussian, join(kEqual, {"sampler.name=vr-fald*", "sampler.local_steps=2",
                                     "sampler.refresh_probability=1.0", "run.iterations=4", "sampler.step=0.01"}));
  const double before = seconds(0, 0, 384), again = seconds(384, 3, 384);
  // Iterations 0 and 2 start a round (C and θ in one message), 1 and 3 end it. The local step of an even iteration,
  // which sends nothing, is waited for with the positions of the next refresh.
  const double odd = seconds(2 * 384, 6, 384) + again, last = seconds(384, 6, 384);
  EXPECT_NEAR(run.end.total() - run.end.setup, 2 * (before + again + odd + last), 1e-9);
  EXPECT_GT(run.end.setup, 0);
}

TEST(NetworkTime, TheSlowestOfATraceCounts) {
  const std::string path = fmt::format("{}trace-{}.csv", ::testing::TempDir(), ::getpid());
  std::ofstream(path) << "client,uplink_mbps,downlink_mbps,latency_ms,gradients_per_second\n"
                         "1,1,1,500,1000\n2,0.001,1,0,1000\n3,1,1,0,2\n";
  const auto trace = "network.trace=" + path;
  const Watched run = watch(kGaussian, {trace, "run.iterations=10"});
  EXPECT_NEAR(run.end.total(), 10 * (384e-6 + 1.5 + 384e-6), 1e-9);  // the third client, by 1.5 s of computing
  const Watched one = watch(kGaussian, {trace, "run.iterations=10", "run.chains=1"});
  EXPECT_NEAR(one.end.total(), 10 * (1 + 2 * 128e-6 + 1e-3), 1e-9);  // the first client, by its latency
  std::ofstream(path) << "client,uplink_mbps,downlink_mbps,latency_ms,gradients_per_second\n1,1,1,0,1\n2,1,0,0,1\n";
  try {
    watch(kGaussian, {trace});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("row 3, column downlink_mbps: found 0, accepted: a number from 1e-6 to 1e12"));
  }
  std::filesystem::remove(path);
}

struct Case {
  const char* name;
  Overrides overrides;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

std::string name_of(const ::testing::TestParamInfo<Case>& info) { return info.param.name; }

const Case kCases[] = {
    {"qlsd_plus", {}},
    {"auto_step", {"sampler.step=auto"}},
    {"star", {"sampler.name=qlsd*"}},
    {"gradient_memory", {"sampler.memory_init=gradient"}},
    {"partial", {"participation.policy=bernoulli", "participation.probability=0.5"}},
    {"b_elf", {"sampler.name=b-elf", "participation.policy=bernoulli", "participation.probability=0.5"}},
    {"single_chain", {"sampler.name=qlsd", "run.chains=1"}},
    {"fald", {"sampler.name=fald", "sampler.local_steps=7"}},
    {"random_gaps", {"sampler.name=fald", "sampler.communicate=0.3"}},
    {"vr_fald", {"sampler.name=vr-fald*", "sampler.communicate=0.3", "sampler.refresh_probability=0.1"}},
    {"fa_ld", {"sampler.name=fa-ld", "sampler.scheme=I", "participation.size=3", "sampler.local_steps=5"}},
    {"dg_lmc", {"sampler.name=dg-lmc"}},
    {"fsgld", {"sampler.name=fsgld", "sampler.local_steps=4", "run.burn_in=40"}},
    {"consensus", {"sampler.name=consensus", "run.burn_in=40"}},
    {"scaffold", {"sampler.name=scaffold"}},
    {"fedpa", {"sampler.name=fedpa", "sampler.local_steps=2"}},
};

class EverySampler : public ::testing::TestWithParam<Case> {
 protected:
  static Overrides overrides() { return join({"run.iterations=120"}, GetParam().overrides); }
  static Overrides networked() { return join(overrides(), {"network.preset=phone"}); }
};

TEST_P(EverySampler, DrawsAreTheSame) {
  const Watched without = watch(kLogistic, overrides()), with = watch(kLogistic, networked());
  EXPECT_EQ(without.draws, with.draws);
  EXPECT_EQ(without.counters.uplink_bits, with.counters.uplink_bits);
  EXPECT_EQ(without.counters.setup_bits, with.counters.setup_bits);
  EXPECT_EQ(without.end.total(), 0);
}

TEST_P(EverySampler, TimeGoesOnAndIsTheSameAgainOnAnyThreads) {
  const Watched once = watch(kLogistic, networked()), again = watch(kLogistic, networked(), 3);
  EXPECT_GT(once.end.total(), once.end.setup);
  EXPECT_GT(once.end.up, 0);
  EXPECT_GT(once.end.computing, 0);
  EXPECT_EQ(once.end.total(), again.end.total());
  EXPECT_EQ(once.end.setup, again.end.setup);
}

// With one client nobody is waited for, so the times follow from the counters.
TEST_P(EverySampler, OfOneClientNothingIsLeftOut) {
  const Overrides alone = {"data.clients=1",
                           "data.min_size=30",
                           "participation.size=1",
                           "network.uplink_mbps=1",
                           "network.downlink_mbps=1",
                           "network.latency_ms=0",
                           "network.gradients_per_second=1e6",
                           "network.uplink_spread=0",
                           "network.downlink_spread=0",
                           "network.gradients_spread=0",
                           "network.jitter_spread=0"};
  const Watched run = watch(kLogistic, join(overrides(), alone));
  // What was begun and not answered yet is missing, which is at most one round or one visit.
  const auto near = [&](double time, std::int64_t count) {
    EXPECT_LE(time * 1e6, static_cast<double>(count) * (1 + 1e-9));
    EXPECT_GE(time * 1e6, 0.8 * static_cast<double>(count));
  };
  near(run.end.up - run.after_setup.up, run.counters.uplink_bits);
  near(run.end.down - run.after_setup.down, run.counters.downlink_bits);
  near(run.end.computing - run.after_setup.computing, run.counters.gradients);
  EXPECT_NEAR(run.after_setup.total() - run.after_setup.computing, static_cast<double>(run.counters.setup_bits) * 1e-6,
              1e-6);
}

TEST_P(EverySampler, ResumedItIsTheSame) {
  const auto config = [] {
    return read_config_text(kLogistic, "test.toml", join(networked(), {"network.availability=0.6"}));
  };
  Collect ignored;
  Experiment whole(config());
  whole.prepare();
  whole.advance(120, ignored);
  for (const std::int64_t stop : {0, 3, 50, 119}) {
    Experiment first(config());
    first.prepare();
    first.advance(stop, ignored);
    const Bytes saved = first.save();
    Experiment second(config());
    second.load(saved);
    second.advance(120 - stop, ignored);
    EXPECT_EQ(second.simulated()->total(), whole.simulated()->total()) << stop;
    EXPECT_EQ(second.simulated()->up, whole.simulated()->up) << stop;
    EXPECT_EQ(second.simulated()->setup, whole.simulated()->setup) << stop;
  }
}

INSTANTIATE_TEST_SUITE_P(, EverySampler, ::testing::ValuesIn(kCases), name_of);

// Models with latents, and the baselines on them.
class EveryPersonal : public ::testing::TestWithParam<const char*> {
 protected:
  static std::string text() {
    return R"(
[model]
kind = "mixed-linear"
[data]
source = "synthetic-mixed"
clients = 6
dimension = 4
[run]
iterations = 40
chains = 2
[sampler]
local_steps = 3
)";
  }
  static Overrides overrides() {
    Overrides all = {std::string("sampler.name=") + GetParam()};
    if (std::string(GetParam()).find("fedsou") == std::string::npos) all.emplace_back("sampler.step=0.01");
    return all;
  }
};

TEST_P(EveryPersonal, DrawsAreTheSameAndTimeGoesOn) {
  const Overrides networked = join(overrides(), {"network.preset=hospital"});
  const Watched without = watch(text(), overrides()), with = watch(text(), networked),
                threads = watch(text(), networked, 3);
  EXPECT_EQ(without.draws, with.draws);
  EXPECT_GT(with.end.computing, 0);
  EXPECT_EQ(with.end.up > 0, with.counters.messages > 0);
  EXPECT_EQ(with.end.total(), threads.end.total());
  Collect ignored;
  Experiment first(read_config_text(text(), "test.toml", networked)),
      second(read_config_text(text(), "test.toml", networked));
  first.prepare();
  first.advance(17, ignored);
  second.load(first.save());
  second.advance(23, ignored);
  EXPECT_EQ(second.simulated()->total(), with.end.total());
}

INSTANTIATE_TEST_SUITE_P(, EveryPersonal,
                         ::testing::Values("fedsoul", "fedsouk", "local", "fedavg", "scaffold", "ditto", "l2gd",
                                           "fedrep"),
                         [](const auto& one) { return std::string(one.param); });

TEST(NetworkTime, FedsoulByHand) {
  const std::string text = R"(
[model]
kind = "mixed-linear"
latent = 2
[data]
source = "synthetic-mixed"
clients = 3
dimension = 4
min_size = 5
max_size = 5
test_fraction = 0.0
[run]
iterations = 10
chains = 1
[sampler]
name = "fedsoul"
local_steps = 3
)";
  const Watched run = watch(text, kEqual);
  const double up = static_cast<double>(run.counters.uplink_bits) / 30,
               down = static_cast<double>(run.counters.downlink_bits) / 30;
  EXPECT_NEAR(run.end.total() - run.end.setup, 10 * seconds(down, 4 * 5, up), 1e-9);
}

// A leapfrog step is an exchange, and so is the look at the starts: d numbers down and d + 1 up per chain.
TEST(NetworkTime, ExactSamplersTakeAnExchangePerLeapfrogStep) {
  const Watched run = watch(kGaussian, join(kEqual, {"sampler.name=mala", "run.iterations=10"}));
  EXPECT_NEAR(run.end.total() - run.after_setup.total(), 11 * seconds(3 * 128, 3, 3 * 192), 1e-9);
  EXPECT_EQ(run.counters.rounds, 11);
}

TEST(NetworkTime, CentralisedSamplersHaveNone) {
  Experiment experiment(
      read_config_text(kLogistic, "test.toml", {"sampler.name=ula", "network.preset=phone", "run.burn_in=10"}));
  EXPECT_EQ(experiment.simulated(), nullptr);
  EXPECT_THAT(experiment.warnings(),
              Contains(HasSubstr("[network] is set but plays no role here: ula exchanges nothing")));
}

TEST(NetworkTime, ARunWithoutTheSectionHasNone) {
  Experiment experiment(read_config_text(kLogistic, "test.toml"));
  EXPECT_EQ(experiment.simulated(), nullptr);
  EXPECT_EQ(to_toml(experiment.config()).find("[network]"), std::string::npos);
}

TEST(NetworkTime, TheEffectiveConfigurationSaysEverything) {
  Experiment experiment(read_config_text(kLogistic, "test.toml", {"network.preset=hospital"}));
  const std::string text = to_toml(experiment.config());
  for (const char* key : {"preset = \"hospital\"", "uplink_mbps = 100.0", "latency_ms = 10.0", "jitter_spread = 0.1",
                          "availability = 1.0", "window_seconds = 3600.0", "server_seconds = 0.0"})
    EXPECT_THAT(text, HasSubstr(key));
  Experiment again(read_config_text(text, "again.toml"));
  EXPECT_EQ(to_toml(again.config()), text);
}

ClientNetwork network_of(const Overrides& overrides) {
  Experiment experiment(read_config_text(kLogistic, "test.toml", overrides));
  return ClientNetwork(experiment.config(), {});
}

TEST(ClientNetwork, IsLogNormalOverClients) {
  const ClientNetwork network = network_of(
      {"network.uplink_mbps=3", "network.uplink_spread=0.8", "network.latency_spread=0.2", "network.jitter_spread=0"});
  constexpr int n = 20000;
  double sum = 0, squares = 0, latency = 0, product = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    const ClientPace pace = network.pace(i, 5);
    const double x = std::log(pace.uplink / 3e6), y = std::log(pace.latency / 0.05);
    sum += x, squares += x * x, latency += y * y, product += x * y;
  }
  EXPECT_NEAR(sum / n, 0, 4 * 0.8 / std::sqrt(n));
  EXPECT_NEAR(std::sqrt(squares / n), 0.8, 4 * 0.8 / std::sqrt(2.0 * n));
  EXPECT_NEAR(std::sqrt(latency / n), 0.2, 4 * 0.2 / std::sqrt(2.0 * n));
  EXPECT_NEAR(product / n, 0, 4 * 0.16 / std::sqrt(n));
  EXPECT_EQ(network.pace(7, 1).uplink, network.pace(7, 99).uplink);
}

TEST(ClientNetwork, JitterIsOfTheExchange) {
  const ClientNetwork network =
      network_of({"network.jitter_spread=0.5", "network.uplink_spread=0", "network.downlink_spread=0",
                  "network.latency_spread=0", "network.gradients_spread=0"});
  constexpr int n = 20000;
  double squares = 0;
  for (std::uint64_t k = 0; k < n; ++k) squares += std::pow(std::log(network.pace(3, k).downlink / 6e6), 2);
  EXPECT_NEAR(std::sqrt(squares / n), 0.5, 4 * 0.5 / std::sqrt(2.0 * n));
  EXPECT_EQ(network.pace(3, 8).speed, network.pace(3, 8).speed);
  EXPECT_NE(network.pace(3, 8).speed, network.pace(3, 9).speed);
}

TEST(ClientNetwork, IsThereForItsShareOfTheTime) {
  const ClientNetwork network = network_of({"network.availability=0.3", "network.window_seconds=600"});
  int there = 0;
  constexpr int n = 40000;
  for (int k = 0; k < n; ++k) {
    const double now = 37.0 * k;
    const auto client = static_cast<std::uint32_t>(k % 50);
    const double wait = network.wait(client, now);
    there += wait == 0;
    EXPECT_GE(wait, 0);
    EXPECT_LE(wait, 2 * (600 / 0.3 - 600));
    if (wait > 0) {
      EXPECT_LT(network.wait(client, now + wait + 1e-3), 1e-9);
      EXPECT_GT(network.wait(client, now + wait - 1e-3), 0);
    }
  }
  EXPECT_NEAR(static_cast<double>(there) / n, 0.3, 0.02);
}

TEST(NetworkTime, WhoIsAwayIsWaitedForAndDrawsStay) {
  const Overrides away = join(kEqual, {"network.availability=0.5", "network.window_seconds=100", "run.iterations=50"});
  const Watched run = watch(kGaussian, away), there = watch(kGaussian, join(kEqual, {"run.iterations=50"}));
  EXPECT_GT(run.end.waiting, 0);
  EXPECT_EQ(there.end.waiting, 0);
  EXPECT_EQ(run.draws, there.draws);
}

TEST(NetworkTime, PlansHaveTheTimeOfTheRun) {
  for (const char* sampler : {"lsd", "sgld", "qlsd", "qlsd++", "fald", "vr-fald*"}) {
    const Overrides overrides =
        join(kEqual, {std::string("sampler.name=") + sampler, "run.iterations=400", "run.burn_in=1"});
    Experiment planned(read_config_text(kLogistic, "test.toml", overrides));
    const PlanReport report = make_report(planned, {});
    ASSERT_TRUE(report.time);
    const Watched run = watch(kLogistic, overrides);
    const double expected = report.plan.traffic.rounds * report.time->exchange.total();
    EXPECT_NEAR(expected / (run.end.total() - run.end.setup), 1, 0.1) << sampler;
  }
}

TEST(NetworkTime, PlansAreTheSameAgainAndKnowWhoTakesPart) {
  const auto planned = [](const Overrides& more) {
    Experiment experiment(
        read_config_text(kLogistic, "test.toml", join({"network.preset=phone", "data.clients=40"}, more)));
    return make_report(experiment, {}).time->exchange.total();
  };
  const double all = planned({});
  EXPECT_EQ(all, planned({}));
  EXPECT_LT(planned({"participation.policy=fixed-size", "participation.size=3"}), all);
  EXPECT_FALSE(make_report(*std::make_unique<Experiment>(read_config_text(kLogistic, "test.toml")), {}).time);
}

}  // namespace
}  // namespace pollen
