// The contract of a client: what it says, and that a server with a valid certificate gets nothing beyond it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "pollen/errors.h"
#include "support/federated.h"
#include "world.h"

namespace pollen {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using What = Query::What;

Config study(const Overrides& set = {}) {
  return testing::federated_config(testing::small_problem({.iterations = 20}) + "name = \"lsd\"\n", set);
}

// A client whose server the test plays.
class Client {
 public:
  explicit Client(const Config& config, const std::string& state = {}) {
    ParticipantOptions options;
    options.name = "c0";
    options.config = config;
    options.part = 0;
    options.state = state;
    options.shared_seed = true;
    options.tell = [this](const Notice& notice) { log += fmt::format("{}: {}\n", notice.event, notice.text); };
    participant_ = std::make_unique<Participant>(options);
    hear(wire::encode(wire::Welcome{0, 3, "run", ""}));
    hear(wire::encode(wire::Seat{0.5}));
  }
  void hear(const Bytes& frame) {
    participant_->handle(frame, [&](const Bytes& out) { said.push_back(out); });
  }
  // Returns whether the client answered the question.
  bool ask(What what, double x, Index rows, Index columns = 1, std::uint64_t step = 0, const Panel& direction = {}) {
    wire::Ask ask{1, static_cast<std::uint8_t>(what), Panel(5, columns), direction, rows, columns, step};
    ask.at.column(0)[0] = x;
    hear(wire::encode(ask));
    return wire::type_of(said.back()) == wire::Type::answer;
  }
  // Returns whether it answered the round, in which both chains are at x.
  bool round(std::uint64_t number, double x, const LocalSegment& segment = {}) {
    Broadcast broadcast;
    broadcast.round = number;
    broadcast.whole = true;
    broadcast.segment = segment;
    broadcast.step.size = 0.002;
    broadcast.payload.resize(2 * 5 * sizeof(double));
    broadcast.offset = {0, 40, 80};
    for (int i = 0; i < 10; ++i) std::memcpy(broadcast.payload.data() + 8 * i, &x, sizeof x);
    Bytes frame;
    wire::encode(broadcast, std::vector<std::uint32_t>{0, 1}, frame);
    hear(frame);
    return wire::type_of(said.back()) == wire::Type::reply;
  }
  std::string why() const { return participant_->ended() ? participant_->ended()->why : "it goes on"; }
  std::vector<Bytes> said;
  std::string log;

 private:
  std::unique_ptr<Participant> participant_;
};

TEST(Contract, IsTheSameForTheSameStudy) {
  const Contract one(study(), {}), other(study({"data.limit=5"}), {});
  Config elsewhere = study();
  elsewhere.output.dir = "/somewhere/else";
  elsewhere.data.sources = {"/its/file.csv"};
  EXPECT_EQ(one.digest(), Contract(elsewhere, {}).digest());
  EXPECT_NE(one.digest(), other.digest());
  EXPECT_NE(one.digest(), Contract(study(), {.curvature = false}).digest());
  EXPECT_EQ(one.study_digest(), Contract(study(), {.curvature = false}).study_digest());
  EXPECT_EQ(contract_difference(one.text(), other.text()), "data.limit is 0 in one and 5 in the other");
  EXPECT_EQ(one.digest(), hex(sha256(one.text())));
}

// A key that is written and says nothing must not mean anything that contracts do not show.
TEST(Contract, IsAllThatTheConfigurationSays) {
  const std::string text = to_toml(study());
  const Config said = servers_config(text), more = servers_config(text + "\n[privacy]\naccept = []\n");
  EXPECT_EQ(Contract(said, {}).digest(), Contract(more, {}).digest());
  EXPECT_EQ(said.given, more.given);
  EXPECT_THAT(Contract(servers_config(to_toml(study({"run.init=file:/home/hub/start"}))), {}).text(),
              Not(HasSubstr("/home/hub")));
}

TEST(Contract, NamesThisSitesColumns) {
  ColumnFacts facts{{"age", "town"}, "sick", {{"town", {"bern", "oslo", "rome"}}, {"sick", {"no", "yes"}}}};
  const std::string text = Contract(study(), {.facts = facts}).text();
  EXPECT_THAT(text, HasSubstr("\n\"age\" = \"number\"\n\"town\" = \"text, 3 levels\"\n\"sick\" = \"text, 2 levels, the "
                              "target\"\n"));
  EXPECT_THAT(text, Not(HasSubstr("oslo")));
  EXPECT_THAT(text, HasSubstr("\n[contract.rounds]\nround = 20\n"));
}

TEST(Contract, HasTheKindsThatTheConfigurationNeeds) {
  const auto most = [](const Overrides& set, Phase phase, What what) {
    return Contract(study(set), {}).most(phase, what);
  };
  EXPECT_GT(most({"sampler.precondition=full"}, Phase::set_up, What::coordinates), 0);
  EXPECT_EQ(most({"sampler.precondition=none"}, Phase::set_up, What::coordinates), 0);
  EXPECT_EQ(most({"sampler.precondition=none", "run.init=zero"}, Phase::set_up, What::gradient), 0);
  EXPECT_GT(most({"sampler.name=lsd*"}, Phase::set_up, What::anchor), 0);
  EXPECT_EQ(most({}, Phase::set_up, What::anchor), 0);
  EXPECT_EQ(most({}, Phase::set_up, What::descent), 0);
  EXPECT_GT(most({"warm_up.epochs=1"}, Phase::set_up, What::descent), 0);
  EXPECT_EQ(most({}, Phase::rounds, What::value), 0);
  Config recorded = study();
  recorded.output.lp = true;
  EXPECT_GT(Contract(recorded, {}).most(Phase::rounds, What::value), 0);
  EXPECT_EQ(most({"sampler.name=fald"}, Phase::rounds, What::local), 0);
  EXPECT_GT(most({"sampler.name=fald", "sampler.emit=every"}, Phase::rounds, What::local), 0);
  EXPECT_GT(most({"sampler.name=vr-fald*"}, Phase::rounds, What::gradient), 0);
  // The trees of nuts bound how much a server can ask: 20 iterations of two chains, and the trials of steps.
  const auto points = [&](const Overrides& set) { return most(set, Phase::rounds, What::potential_gradient); };
  EXPECT_EQ(points({}), 0);
  EXPECT_GT(points({"sampler.name=nuts"}), 2 * 20 * 1024);
  EXPECT_LT(points({"sampler.name=nuts", "sampler.max_depth=3"}), points({"sampler.name=nuts"}));
  EXPECT_LT(points({"sampler.name=mala"}), points({"sampler.name=nuts", "sampler.max_depth=3"}));
  EXPECT_EQ(Contract(study({"sampler.name=nuts"}), {}).rounds(), 0);
}

// An honest server stays within half of what it may ask.
class HonestServer : public ::testing::TestWithParam<FederatedSampler> {};

TEST_P(HonestServer, StaysWithinTheContract) {
  for (const Overrides& more : {Overrides{}, Overrides{"sampler.precondition=full"}}) {
    Overrides keys = GetParam().keys;
    if (GetParam().name != std::string("network")) keys.insert(keys.end(), more.begin(), more.end());
    testing::Folder folder;
    testing::World world(kFederated, keys, {}, folder.path());
    std::map<std::pair<Phase, What>, std::int64_t> asked;
    Phase phase = Phase::set_up;
    world.overhear = [&](std::uint32_t client, const Bytes& frame) {
      if (client != 0) return;
      if (wire::type_of(frame) == wire::Type::broadcast) phase = Phase::rounds;
      if (wire::type_of(frame) != wire::Type::ask) return;
      const auto ask = wire::decode<wire::Ask>(frame);
      const auto what = static_cast<What>(ask.what);
      if (what == What::potential_gradient) phase = Phase::rounds;
      asked[{phase, what}] += what == What::potential_gradient ? ask.columns : 1;
    };
    run_federation(world);
    const Contract contract(world.config(), {});
    for (const auto& [kind, times] : asked)
      EXPECT_LE(2 * times, std::max<std::int64_t>(contract.most(kind.first, kind.second), times == 1 ? 2 : 0))
          << name_of(kind.second) << " in " << name_of(kind.first);
  }
}

INSTANTIATE_TEST_SUITE_P(Samplers, HonestServer, ::testing::ValuesIn(kFederatedSamplers),
                         [](const auto& test) { return test.param.name; });

TEST(DishonestServer, AsksMoreThanTheContractHas) {
  Client client(study({"sampler.precondition=full"}));
  int answered = 0;
  while (answered < 100 && client.ask(What::hessian, answered, 15)) ++answered;
  EXPECT_EQ(answered, 32);
  EXPECT_THAT(client.why(),
              HasSubstr("found 33 answers of the kind hessian in the phase set-up, accepted: at most 32"));
  EXPECT_THAT(client.log, HasSubstr("refused: the server asked for more"));
}

TEST(DishonestServer, AsksForGradientsAtManyPoints) {
  Client client(study({"sampler.precondition=full"}));
  int answered = 0;
  while (answered < 10000 && client.ask(What::gradient, 0.001 * answered, 5)) ++answered;
  EXPECT_EQ(answered, Contract(study({"sampler.precondition=full"}), {}).most(Phase::set_up, What::gradient));
}

TEST(DishonestServer, AsksWhatTheContractDoesNotHave) {
  Client client(study({"run.init=zero", "sampler.precondition=none"}));
  EXPECT_FALSE(client.ask(What::gradient, 0, 5));
  EXPECT_THAT(client.why(), HasSubstr("found the kind gradient in the phase set-up, accepted: 0 of it"));
}

TEST(DishonestServer, AsksOutsideThePhase) {
  Client client(study({"sampler.precondition=full"}));
  EXPECT_TRUE(client.ask(What::gradient, 1, 5));
  EXPECT_TRUE(client.round(0, 1));
  EXPECT_TRUE(client.ask(What::gradient, 1, 5)) << "a server that began again asks the same once more";
  EXPECT_FALSE(client.ask(What::gradient, 2, 5));
  EXPECT_THAT(client.why(), HasSubstr("found the kind gradient in the phase rounds, accepted: in the phase set-up"));
}

TEST(DishonestServer, AsksForMoreRounds) {
  Client client(study());
  for (std::uint64_t round = 0; round < 20; ++round) EXPECT_TRUE(client.round(round, 0));
  EXPECT_FALSE(client.round(20, 0));
  EXPECT_THAT(client.why(), HasSubstr("asked for round 21, accepted: at most the contract's 20 rounds"));
}

TEST(DishonestServer, SendsAnotherContentUnderAnOldNumber) {
  Client client(study());
  EXPECT_TRUE(client.round(3, 1));
  const Bytes reply = client.said.back();
  EXPECT_TRUE(client.round(4, 2));
  EXPECT_TRUE(client.round(3, 1));
  EXPECT_EQ(client.said.back(), reply);
  Client second(study());
  for (const std::uint64_t round : {3U, 4U}) EXPECT_TRUE(second.round(round, 1));
  EXPECT_FALSE(second.round(3, 1.5));
  EXPECT_THAT(second.why(), HasSubstr("round 4 again with another content"));
  Client third(study());
  for (const std::uint64_t round : {3U, 5U}) EXPECT_TRUE(third.round(round, 1));
  EXPECT_FALSE(third.round(4, 1));
  EXPECT_THAT(third.why(), HasSubstr("round 5 after round 6"));
}

// Where coins decide when local steps end in a message, everybody knows the coins. Shorter segments would be more
// messages with less noise each, and segments that overlap would use an iteration's noise twice.
TEST(DishonestServer, CutsLocalStepsInAnotherWay) {
  const Config four = study({"sampler.name=fa-ld", "sampler.local_steps=4", "sampler.precondition=none"});
  const auto refused = [&](const LocalSegment& segment) {
    Client client(four);
    EXPECT_FALSE(client.round(0, 0, segment));
    EXPECT_THAT(client.why(), HasSubstr("accepted: those of the study's local steps"));
  };
  refused({0, 1, true, true});
  refused({0, 5, true, true});
  refused({0, 4, true, false});
  refused({0, 4, false, true});
  refused({1, 3, true, true});
  refused({20, 4, true, true});
  Client client(four);
  EXPECT_TRUE(client.round(0, 0, {0, 2, true, false})) << "a segment may come in pieces";
  EXPECT_FALSE(client.round(0, 0, {1, 3, false, true}));
  EXPECT_THAT(client.why(), HasSubstr("from iteration 1 on after one that reached iteration 2"));
  Client skipping(four);
  EXPECT_TRUE(skipping.round(1, 0, {4, 4, true, true}));
  EXPECT_TRUE(skipping.round(3, 0, {12, 4, true, true}));
}

// Draws go to this client's disk, where a study of very many iterations would have room for any number.
TEST(DishonestServer, SharesMoreDrawsThanAnyServer) {
  Client client(study({"run.iterations=10000000"}));
  constexpr Index kMost = kMostShared / (8 * 5 * 2);
  client.hear(wire::encode(wire::Draws{0, 0, Panel(5, 1000)}));
  EXPECT_THROW(client.hear(wire::encode(wire::Draws{0, 0, Panel(5, kMost + 1)})), WireError);
}

TEST(DishonestServer, WalksWithAnotherStepThanTheStudy) {
  Client client(study({"sampler.step=0.001"}));
  EXPECT_THROW(client.round(0, 0), WireError);
}

// The answer would be more than a client can send in one message, and more than a machine may have memory for.
TEST(DishonestServer, AsksForAHugeHessian) {
  constexpr Index kWide = 8001;
  Client client(study({"sampler.precondition=diagonal", "data.dimension=8000"}));
  wire::Ask ask{1, static_cast<std::uint8_t>(What::hessian), Panel(kWide, 1), {}, kWide * (kWide + 1) / 2, 1, 0};
  EXPECT_THROW(client.hear(wire::encode(ask)), WireError);
  ask.rows = kWide;
  client.hear(wire::encode(ask));
  EXPECT_EQ(wire::type_of(client.said.back()), wire::Type::answer);
}

// Every step of a warm-up draws its own rows, so that one step at many positions would show these rows.
TEST(DishonestServer, AsksForAWarmUpStepTwice) {
  Client client(study({"warm_up.epochs=1"}));
  for (std::uint64_t step = 0; step < 5; ++step) EXPECT_TRUE(client.ask(What::descent, 1, 5, 2, step));
  EXPECT_TRUE(client.ask(What::descent, 1, 5, 2, 3));
  EXPECT_FALSE(client.ask(What::descent, 2, 5, 2, 3));
  EXPECT_THAT(client.why(), HasSubstr("step 3 again with another content"));
}

TEST(DishonestServer, WaitsForAnotherProcess) {
  testing::Folder folder;
  const Config config = study({"sampler.precondition=full"});
  int answered = 0;
  for (int life = 0; life < 50; ++life) {
    Client client(config, folder.path() + "/state");
    while (answered < 100 && client.ask(What::hessian, answered, 15) && ++answered % 5 != 0) {
    }
  }
  EXPECT_EQ(answered, 32);
  Client(config, folder.path() + "/state").round(2, 1);
  Client client(config, folder.path() + "/state");
  EXPECT_FALSE(client.ask(What::hessian, 1000, 15));
  Client other(config, folder.path() + "/other");
  EXPECT_TRUE(other.round(2, 1));
}

}  // namespace
}  // namespace pollen
