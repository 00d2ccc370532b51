// nuts over connections: what a client answers without a finite density is a rejected point, a late client is waited
// for, and a server gets no more than the contract has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pollen/errors.h"
#include "world.h"

namespace pollen {
namespace {

using ::testing::HasSubstr;
using testing::World;
using What = Query::What;

constexpr Index kDimension = 6;  // of testing::kLogistic, with its intercept

const Overrides kNuts = {"sampler.name=nuts", "sampler.step=auto", "sampler.batch=1.0",
                         "run.burn_in=10",    "run.iterations=20", "sampler.precondition=full"};

Overrides nuts(const Overrides& more = {}) {
  Overrides keys = kNuts;
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

bool is_round(const Bytes& frame) {
  return wire::type_of(frame) == wire::Type::ask &&
         static_cast<What>(wire::decode<wire::Ask>(frame).what) == What::potential_gradient;
}

// A federation that counts what its first client is asked, and records what its server says.
struct NutsScene {
  explicit NutsScene(const Overrides& more = {}) : world(testing::kLogistic, nuts(more), {}, folder.path()) {
    world.may_wait = true;
    world.overhear = [this](std::uint32_t client, const Bytes& frame) { rounds += client == 0 && is_round(frame); };
  }
  testing::FederationOutcome run() {
    RegistryOptions options{.shared_seed = true};
    options.tell = [this](const Notice& notice) { said += notice.text + '\n'; };
    return run_federation(world, options);
  }
  testing::Folder folder;
  World world;
  int rounds = 0;
  std::string said;
};

testing::Outcome alone() { return testing::sample(testing::kLogistic, nuts({"run.coupled=true"})); }

TEST(ExactRounds, CountAsThoseOfASimulation) {
  NutsScene scene;
  const auto together = scene.run();
  const auto expected = alone();
  EXPECT_EQ(together.draws, expected.draws);
  EXPECT_EQ(together.counters.rounds, expected.counters.rounds);
  EXPECT_EQ(together.counters.uplink_bits, expected.counters.uplink_bits);
  EXPECT_EQ(scene.rounds, together.counters.rounds);
  EXPECT_EQ(together.statistics.turns, together.counters.rounds);
  for (const ClientStatistics& client : together.statistics.clients) EXPECT_EQ(client.turns, together.counters.rounds);
}

TEST(ExactRounds, AnAnswerWithoutAFiniteDensityIsARejectedPoint) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {kNaN, std::numeric_limits<double>::infinity()}) {
    NutsScene scene;
    int answers = 0, spoilt = 0;
    scene.world.tamper = [&](std::uint32_t client, Bytes& frame) {
      if (client != 2 || wire::type_of(frame) != wire::Type::answer) return;
      auto answer = wire::decode<wire::Answer>(frame);
      if (answer.values.rows() != kDimension + 1 || answer.values.columns() < 2 || ++answers % 4 != 3) return;
      for (double& number : answer.values.column(0)) number = bad;
      ++spoilt;
      frame = wire::encode(answer);
    };
    const auto outcome = scene.run();
    EXPECT_GT(spoilt, 5);
    EXPECT_TRUE(std::ranges::all_of(scene.world.ended, [](const std::string& why) { return why == "done"; }));
    ASSERT_FALSE(outcome.draws.empty());
    for (const auto& chain : outcome.draws)
      for (const double x : chain) EXPECT_TRUE(std::isfinite(x));
    EXPECT_NE(outcome.draws[0], alone().draws[0]);
  }
}

// What one client sends as its potentials, from an answer on and so many times.
struct PotentialLie {
  const char* name;
  double number;
  int from, most;
  const char* says;
};
void PrintTo(const PotentialLie& lie, std::ostream* out) { *out << lie.name; }

constexpr int kFirst = 0, kLater = 25, kForever = 1'000'000;

class AbsurdPotential : public ::testing::TestWithParam<PotentialLie> {
 protected:
  AbsurdPotential() : scene_({"run.burn_in=0", "run.iterations=100"}) {
    scene_.world.tamper = [this](std::uint32_t client, Bytes& frame) { lie(client, frame); };
  }
  void lie(std::uint32_t client, Bytes& frame) {
    if (client != 2 || wire::type_of(frame) != wire::Type::answer) return;
    auto answer = wire::decode<wire::Answer>(frame);
    const int number = answers_;
    if (answer.values.rows() != kDimension + 1 || ++answers_ <= GetParam().from ||
        number >= GetParam().from + GetParam().most)
      return;
    for (Index c = 0; c < answer.values.columns(); ++c) answer.values.column(c).back() = GetParam().number;
    frame = wire::encode(answer);
  }
  NutsScene scene_;
  int answers_ = 0;
};

TEST_P(AbsurdPotential, PausesTheRunAndNamesTheClient) {
  EXPECT_THROW(scene_.run(), Paused);
  EXPECT_THAT(scene_.said, HasSubstr(fmt::format("c2 sent the potential {}", GetParam().says)));
  EXPECT_THAT(scene_.said, HasSubstr("--accept-reply c2"));
}

INSTANTIATE_TEST_SUITE_P(
    Lies, AbsurdPotential,
    ::testing::Values(PotentialLie{"low_once", -1e308, kLater, 1, "-1e+308, where about"},
                      PotentialLie{"low_forever", -1e300, kLater, kForever, "-1e+300, where about"},
                      PotentialLie{"fell", -1e9, kLater, 1, "-1e+09, where about"},
                      PotentialLie{"high_at_the_start_alone", 1e300, kFirst, 1, ""},
                      PotentialLie{"high_from_the_start", 1e300, kFirst, kForever, "1e+300"},
                      PotentialLie{"high_forever", 1e300, kLater, kForever, "1e+300, where about"},
                      PotentialLie{"no_number_from_the_start", std::nan(""), kFirst, kForever, "nan"},
                      PotentialLie{"no_number_forever", std::nan(""), kLater, kForever, "nan, where about"}),
    [](const auto& test) { return test.param.name; });

// A server that is started again asks again, and the draws are those of a run in which nothing happened.
TEST(ExactRounds, APauseBeforeATransitionLosesNothing) {
  const Overrides set = {"run.burn_in=0", "run.iterations=100"};
  NutsScene scene(set);
  scene.world.goes_on = true;
  int answers = 0;
  scene.world.tamper = [&](std::uint32_t client, Bytes& frame) {
    if (client != 2 || wire::type_of(frame) != wire::Type::answer) return;
    auto answer = wire::decode<wire::Answer>(frame);
    if (answer.values.rows() != kDimension + 1 || ++answers != kLater) return;
    answer.values.column(0).back() = -1e200;
    frame = wire::encode(answer);
  };
  const auto outcome = scene.run();
  EXPECT_EQ(outcome.servers, 2);
  EXPECT_EQ(
      outcome.draws,
      testing::sample(testing::kLogistic, nuts({"run.burn_in=0", "run.iterations=100", "run.coupled=true"})).draws);
}

TEST(ExactRounds, AClientThatIsBelievedMaySendWhatItLikes) {
  NutsScene scene({"run.burn_in=0", "run.iterations=100"});
  scene.world.believed = {2};
  int answers = 0;
  scene.world.tamper = [&](std::uint32_t client, Bytes& frame) {
    if (client != 2 || wire::type_of(frame) != wire::Type::answer) return;
    auto answer = wire::decode<wire::Answer>(frame);
    if (answer.values.rows() != kDimension + 1 || ++answers != kLater) return;
    answer.values.column(0).back() = -1e9;
    frame = wire::encode(answer);
  };
  scene.run();
  EXPECT_EQ(scene.said.find("sent the potential"), std::string::npos);
}

TEST(ExactRounds, ALateClientIsWaitedFor) {
  NutsScene scene({"federation.on_missing=wait", "federation.round_deadline=0.02"});
  std::optional<Deadline> left;
  scene.world.silent = [&](std::uint32_t client) {
    if (client != 2 || scene.rounds < 4) return false;
    if (!left) left = scene.world.now();
    return scene.world.now() < *left + std::chrono::milliseconds(300);
  };
  EXPECT_EQ(scene.run().draws, alone().draws);
  EXPECT_THAT(scene.said, HasSubstr("still waiting for c2"));
}

TEST(ExactRounds, EndWhereOnMissingSaysSo) {
  NutsScene scene({"federation.on_missing=abort", "federation.round_deadline=0.02"});
  scene.world.silent = [&](std::uint32_t client) { return client == 2 && scene.rounds >= 4; };
  try {
    scene.run();
    ADD_FAILURE() << "the run went on";
  } catch (const NumericError& error) {
    EXPECT_THAT(error.what(), HasSubstr("c2 did not answer within 0.02 s"));
  }
}

// A client whose server the test plays.
struct QuestionedSite {
  explicit QuestionedSite(Policy policy = open_policy()) {
    ParticipantOptions options;
    options.name = "c0";
    options.config = testing::federated_config(testing::kLogistic, nuts({"sampler.max_depth=1", "run.chains=2"}));
    options.part = 0;
    options.shared_seed = true;
    options.policy = policy;
    participant = std::make_unique<Participant>(options);
    hear(wire::encode(wire::Welcome{0, 7, "run", ""}));
    hear(wire::encode(wire::Seat{0.5}));
  }
  void hear(const Bytes& frame) {
    participant->handle(frame, [&](const Bytes& out) { said = out; });
  }
  bool ask(What what, double x, Index rows, Index columns) {
    wire::Ask ask{1, static_cast<std::uint8_t>(what), Panel(kDimension, columns), {}, rows, columns, 0};
    ask.at.column(0)[0] = x;
    hear(wire::encode(ask));
    return wire::type_of(said) == wire::Type::answer;
  }
  std::string why() const { return participant->ended() ? participant->ended()->why : "it goes on"; }
  std::unique_ptr<Participant> participant;
  Bytes said;
};

TEST(ExactContract, BoundsThePoints) {
  QuestionedSite site;
  const Contract contract(*site.participant->config(), {});
  const std::int64_t most = contract.most(Phase::rounds, What::potential_gradient);
  std::int64_t points = 0;
  while (points <= most && site.ask(What::potential_gradient, 1e-6 * static_cast<double>(points), kDimension + 1, 2))
    points += 2;
  EXPECT_EQ(points, most / 2 * 2);
  EXPECT_THAT(site.why(), HasSubstr("answers of the kind potential-and-gradient in the phase rounds"));
}

TEST(ExactContract, SetUpIsOverWithTheFirstRound) {
  QuestionedSite site;
  EXPECT_TRUE(site.ask(What::gradient, 1, kDimension, 1));
  EXPECT_TRUE(site.ask(What::potential_gradient, 1, kDimension + 1, 2));
  EXPECT_TRUE(site.ask(What::potential_gradient, 1, kDimension + 1, 2)) << "a repeated question is answered again";
  EXPECT_TRUE(site.ask(What::potential_gradient, 2, kDimension + 1, 1))
      << "chains that need nothing are not asked about";
  EXPECT_FALSE(site.ask(What::gradient, 2, kDimension, 1));
  EXPECT_THAT(site.why(), HasSubstr("found the kind gradient in the phase rounds, accepted: in the phase set-up"));
}

TEST(ExactContract, OtherCoordinatesAreRefused) {
  QuestionedSite site;
  EXPECT_TRUE(site.ask(What::potential_gradient, 1, kDimension + 1, 2));
  wire::Ask told{1, static_cast<std::uint8_t>(What::coordinates), Panel(kDimension, 1), Panel(kDimension, 1), 1, 1, 0};
  for (double& number : told.direction.column(0)) number = 2;
  site.hear(wire::encode(told));
  EXPECT_THAT(site.why(), HasSubstr("found the kind coordinates in the phase rounds"));
}

TEST(ExactContract, QuestionsOfOtherShapesAreRefused) {
  for (const auto& [rows, columns] :
       {std::pair<Index, Index>{kDimension + 1, 3}, {kDimension, 2}, {kDimension + 2, 2}}) {
    QuestionedSite site;
    EXPECT_THROW(site.ask(What::potential_gradient, 1, rows, columns), WireError) << rows << " x " << columns;
  }
}

TEST(ExactContract, AnEpsilonCannotBeHeld) {
  Policy policy = open_policy();
  policy.max_epsilon = 1;
  QuestionedSite site(policy);
  EXPECT_FALSE(site.ask(What::potential_gradient, 1, kDimension + 1, 2));
  EXPECT_THAT(site.why(), HasSubstr("no epsilon can be given for nuts"));
}

TEST(ExactStudy, SavingsAreRefused) {
  const auto refusal = [](const Overrides& more) -> std::string {
    try {
      Config config = testing::federated_config(testing::kLogistic, nuts(more));
      check_federation(config);
      std::vector<std::string> warnings;
      complete(config, 7, kDimension, warnings);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(refusal({}), "none");
  EXPECT_EQ(refusal({"federation.on_missing=abort", "federation.round_deadline=1"}), "none");
  EXPECT_THAT(refusal({"federation.on_missing=skip", "federation.round_deadline=1"}), HasSubstr("on_missing"));
  EXPECT_THAT(refusal({"participation.policy=bernoulli", "participation.probability=0.5"}),
              HasSubstr("participation.policy"));
  EXPECT_THAT(refusal({"sampler.compressor=qsgd"}), HasSubstr("sampler.compressor"));
  EXPECT_THAT(refusal({"sampler.batch=3"}), HasSubstr("sampler.batch"));
  EXPECT_THAT(refusal({"sampler.bits=32"}), HasSubstr("sampler.bits"));
}

TEST(ExactStudy, SaysWhatIsSent) {
  const auto list = disclosed_messages(Contract(testing::federated_config(testing::kLogistic, nuts()), {}));
  EXPECT_THAT(list, ::testing::Contains(HasSubstr("its potential and its gradient, in full, at every position")));
  EXPECT_THAT(list, ::testing::Not(::testing::Contains(HasSubstr("product of its curvature"))));
}

}  // namespace
}  // namespace pollen
