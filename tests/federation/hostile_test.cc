// Clients that lie in the middle of a run. They are sent away with a reason, an honest client takes their place, and
// the draws are those of a run in which nothing happened.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pollen/errors.h"
#include "world.h"

namespace pollen {
namespace {

using testing::World;

const std::string kProblem = testing::small_problem({.clients = 4, .iterations = 30, .chains = 3, .refresh = 10});

constexpr std::uint32_t kLiar = 2;

struct Lie {
  const char* name;
  const char* sampler;
  std::function<void(Reply&)> change;  // changes a reply before it is encoded again, or
  std::function<void(Bytes&)> mangle;  // changes its frame
  const char* reason;                  // what the server says; empty if the frame does no harm
};
void PrintTo(const Lie& lie, std::ostream* out) { *out << lie.name; }

void put_number(Reply& reply, double value) { std::memcpy(reply.payload.data() + 8, &value, sizeof value); }
// Begins the reply as Elias codes with these 16 bits for the first norm.
void put_norm(Reply& reply, unsigned code) {
  reply.payload[0] = static_cast<std::uint8_t>(0x80 | code >> 9);
  reply.payload[1] = static_cast<std::uint8_t>(code >> 1);
  reply.payload[2] = static_cast<std::uint8_t>(code << 7);
}
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

void resize_part(Reply& reply, std::size_t part, std::ptrdiff_t by) {
  const auto at = reply.payload.begin() + static_cast<std::ptrdiff_t>(reply.offset[part + 1]);
  if (by > 0)
    reply.payload.insert(at, static_cast<std::size_t>(by), std::uint8_t{0});
  else
    reply.payload.erase(at + by, at);
  for (std::size_t p = part + 1; p < reply.offset.size(); ++p)
    reply.offset[p] = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(reply.offset[p]) + by);
}

class Hostile : public ::testing::TestWithParam<Lie> {
 protected:
  // Falsifies the liar's third reply.
  void lie(std::uint32_t client, Bytes& frame) {
    if (client != kLiar || wire::type_of(frame) != wire::Type::reply || ++replies_ != 3) return;
    if (GetParam().mangle) return GetParam().mangle(frame);
    Reply reply;
    wire::decode(frame, reply);
    GetParam().change(reply);
    wire::encode(reply, frame);
  }
  int replies_ = 0;
  testing::Folder folder_;
};

TEST_P(Hostile, IsSentAwayAndTheDrawsAreTheSame) {
  const Overrides set{fmt::format("sampler.name={}", GetParam().sampler)};
  Overrides alone = set;
  alone.insert(alone.end(), {"run.coupled=true", "output.lp=false"});
  World world(kProblem, set, {}, folder_.path());
  world.stubborn = true;
  world.tamper = [this](std::uint32_t client, Bytes& frame) { lie(client, frame); };
  std::string said;
  RegistryOptions options{.shared_seed = true};
  options.tell = [&](const Notice& notice) { said += fmt::format("{}\n", notice.text); };
  const auto outcome = run_federation(world, options);
  EXPECT_GE(replies_, 3);
  EXPECT_EQ(outcome.draws, testing::sample(kProblem, alone).draws);
  EXPECT_EQ(outcome.servers, 1);
  EXPECT_THAT(said, ::testing::HasSubstr(GetParam().reason));
  const bool honest_but_one = std::string(GetParam().name) != "refuses";  // otherwise the others were told to leave
  EXPECT_EQ(world.ended.size(), honest_but_one ? 5U : 4U) << fmt::format("{}", fmt::join(world.ended, "; "));
}

INSTANTIATE_TEST_SUITE_P(
    Lies, Hostile,
    ::testing::Values(
        Lie{"round_after", "lsd", [](Reply& r) { r.round += 1; }, {}, "c2 is sent away: its reply is of a round"},
        Lie{"round_far", "lsd", [](Reply& r) { r.round = ~std::uint64_t{0}; }, {}, "of a round that is not open"},
        Lie{"leg_after", "fald", [](Reply& r) { r.first += 1; }, {}, "of a round that is not open"},
        Lie{"other_client", "lsd", [](Reply& r) { r.client = 1; }, {}, "c2 is sent away"},
        Lie{"no_client", "lsd", [](Reply& r) { r.client = 4000000000; }, {}, "c2 is sent away"},
        Lie{"nan",
            "lsd",
            [](Reply& r) { put_number(r, kNaN); },
            {},
            "round 2, client 3: compressed payload: found a value that is not"},
        Lie{"infinity", "lsd", [](Reply& r) { put_number(r, kInf); }, {}, "round 2, client 3"},
        Lie{"minus_infinity", "fald", [](Reply& r) { put_number(r, -kInf); }, {}, "client 3: compressed payload"},
        Lie{"norm_nan",
            "qlsd",
            [](Reply& r) { put_norm(r, 0xffff); },
            {},
            "client 3: compressed payload: found a norm that is too small or not finite"},
        Lie{"norm_infinite", "qlsd", [](Reply& r) { put_norm(r, 0xff00); }, {}, "found a norm that"},
        Lie{"norm_tiny", "qlsd++", [](Reply& r) { put_norm(r, 1); }, {}, "found a norm that"},
        Lie{"longer", "lsd", [](Reply& r) { resize_part(r, 1, 8); }, {}, "bytes, accepted: exactly"},
        Lie{"shorter", "lsd", [](Reply& r) { resize_part(r, 2, -8); }, {}, "bytes, accepted: exactly"},
        Lie{"longer_code", "qlsd", [](Reply& r) { resize_part(r, 0, 9); }, {}, "compressed payload"},
        Lie{"shorter_code", "qlsd", [](Reply& r) { resize_part(r, 2, -1); }, {}, "compressed payload"},
        Lie{"fewer_chains",
            "lsd",
            [](Reply& r) { r.chains.pop_back(), r.offset.pop_back(), r.payload.resize(r.offset.back()); },
            {},
            "answers another question"},
        Lie{"silent",
            "lsd",
            [](Reply& r) { r.silent = true, r.offset = {0}, r.payload.clear(); },
            {},
            "another question"},
        Lie{"whole", "qlsd++", [](Reply& r) { r.whole = true; }, {}, "answers another question"},
        Lie{"gradients", "lsd", [](Reply& r) { r.gradients = std::int64_t{1} << 39; }, {}, "gradients; accepted: 0 to"},
        Lie{"gradients_more",
            "lsd",
            [](Reply& r) { r.gradients = std::int64_t{1} << 60; },
            {},
            "gradients in a reply, accepted: 0 to"},
        Lie{"gradients_below_zero",
            "lsd",
            [](Reply& r) { r.gradients = -1; },
            {},
            "gradients in a reply, accepted: 0 to"},
        Lie{"cut", "lsd", {}, [](Bytes& f) { f.resize(f.size() - 3); }, "found 37 bytes, accepted: exactly 40"},
        Lie{"header", "lsd", {}, [](Bytes& f) { f.resize(10); }, "cannot be read"},
        Lie{"empty", "lsd", {}, [](Bytes& f) { f.clear(); }, "cannot be read"},
        Lie{"unknown_type", "lsd", {}, [](Bytes& f) { f[3] = 99; }, "found a message of type 99"},
        Lie{"servers_type",
            "lsd",
            {},
            [](Bytes& f) { f = wire::encode(wire::Acknowledged{3}); },
            "which a client does not send"},
        Lie{"many_chains", "lsd", {}, [](Bytes& f) { f[9] = 0xff, f[10] = 0x7f; }, "as the number of chains"},
        Lie{"magic", "lsd", {}, [](Bytes& f) { f[0] ^= 1; }, "the letters PL"},
        Lie{"hello_again",
            "lsd",
            {},
            [](Bytes& f) { f = wire::encode(wire::Hello{}); },
            "which a client does not send"},
        Lie{"site_again", "lsd", {}, [](Bytes& f) { f = wire::encode(wire::Site{}); }, "set-up out of order"},
        Lie{"columns_again", "lsd", {}, [](Bytes& f) { f = wire::encode(wire::Columns{}); }, "set-up out of order"},
        Lie{"moments_again", "lsd", {}, [](Bytes& f) { f = wire::encode(wire::Moments{}); }, "set-up out of order"},
        Lie{"refuses",
            "lsd",
            {},
            [](Bytes& f) { f = wire::encode(wire::Refusal{"\x1b[2J no\n", false}); },
            "c2 will not go on: ?[2J no \n"}),
    [](const auto& test) { return test.param.name; });

// Repeated old replies, and answers to no question, do no harm, and nothing is kept of them.
TEST(HostileFlood, RepliesThatAreOver) {
  testing::Folder folder;
  World world(kProblem, {"sampler.name=qlsd++"}, {}, folder.path());
  std::vector<Bytes> said;
  world.also = [&](std::uint32_t client, const Bytes& frame) -> std::vector<Bytes> {
    if (client != kLiar || wire::type_of(frame) != wire::Type::reply) return {};
    said.push_back(frame);
    std::vector<Bytes> all;
    for (int i = 0; i < 20; ++i) all.insert(all.end(), said.begin(), said.end());
    all.push_back(wire::encode(wire::Answer{1, Panel(4, 3)}));
    return all;
  };
  const auto outcome = run_federation(world);
  const auto alone = testing::sample(kProblem, {"sampler.name=qlsd++", "run.coupled=true", "output.lp=false"});
  EXPECT_EQ(outcome.draws, alone.draws);
  EXPECT_EQ(outcome.counters.uplink_bits, alone.counters.uplink_bits);
  EXPECT_EQ(outcome.counters.gradients, alone.counters.gradients);
}

TEST(HostileValue, IsNotTaken) {
  testing::Folder folder;
  World world(kProblem, {"sampler.name=lsd", "run.init=mode"}, {}, folder.path());
  world.stubborn = true;
  int answers = 0;
  world.tamper = [&](std::uint32_t client, Bytes& frame) {
    if (client != kLiar || wire::type_of(frame) != wire::Type::answer || ++answers % 3 != 0 || answers > 9) return;
    auto answer = wire::decode<wire::Answer>(frame);
    answer.values.column(0)[0] = kNaN;
    frame = wire::encode(answer);
  };
  const auto alone = testing::sample(kProblem, {"sampler.name=lsd", "run.init=mode", "run.coupled=true"});
  EXPECT_EQ(run_federation(world).draws, alone.draws);
  EXPECT_EQ(world.ended.size(), 7U);
}

// Replies that are numbers, but absurd ones.
class Absurd : public ::testing::Test {
 protected:
  // Runs a federation in which the liar's replies from the third on are this large, at most so many of them.
  void run(double number, int most, const Overrides& set, const std::vector<std::uint32_t>& believed = {}) {
    World world(kProblem, set, {}, folder_.path());
    world.believed = believed;
    int replies = 0;
    world.tamper = [&](std::uint32_t client, Bytes& frame) {
      if (client != kLiar || wire::type_of(frame) != wire::Type::reply || ++replies < 3 || replies >= 3 + most) return;
      Reply reply;
      wire::decode(frame, reply);
      put_number(reply, number);
      wire::encode(reply, frame);
    };
    run_federation(world, {.shared_seed = true, .tell = [&](const Notice& notice) {
                             if (notice.event == "paused" || notice.event == "odd") said_.push_back(notice.text);
                           }});
  }
  std::vector<std::string> said_;
  testing::Folder folder_;
};

TEST_F(Absurd, AReplyPausesTheRunBeforeItsRoundAndIsNamed) {
  EXPECT_THROW(run(1e308, 1, {"sampler.name=lsd"}), Paused);
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_THAT(said_[0], ::testing::HasSubstr("round 2: c2 sent the number 1e+308, more than 1e+06 times the largest"));
  EXPECT_THAT(said_[0], ::testing::HasSubstr("--accept-reply c2"));
}

TEST_F(Absurd, AReplyIsNotJudgedInBurnIn) {
  run(1e11, 1, {"sampler.name=lsd", "run.burn_in=10"});
  EXPECT_TRUE(said_.empty());
}

TEST_F(Absurd, AReplyOfAClientThatIsBelievedIsTaken) {
  run(1e11, 1, {"sampler.name=lsd"}, {kLiar});
  EXPECT_TRUE(said_.empty());
}

TEST_F(Absurd, AStateThatAReplyHasThrownAwayIsNotBlamedOnTheStep) {
  try {
    run(1e308, 1, {"sampler.name=lsd", "run.burn_in=10"});
    FAIL() << "the run went on";
  } catch (const NumericError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("client 3: chain 1: the state explodes with the reply"));
  }
}

// Replies that are too large all the time are of the size that the run is used to, but not of that of the other sites.
TEST_F(Absurd, RepliesOfAnotherSizeThanTheOthersAreTold) {
  run(1e8, 1000, {"sampler.name=lsd", "run.iterations=120", "run.burn_in=50"});
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_THAT(said_[0], ::testing::HasSubstr("the numbers in c2's replies are "));
  EXPECT_THAT(said_[0], ::testing::HasSubstr("times larger than those of the median site, per row"));
}

// Falsified answers outside sampling: the mode and the constants.
class HostileAnswer : public ::testing::TestWithParam<std::function<void(wire::Answer&)>> {};

TEST_P(HostileAnswer, IsNotTaken) {
  testing::Folder folder;
  const Overrides set{"sampler.name=fald", "sampler.step=auto", "sampler.local_steps=3"};
  World world(kProblem, set, {}, folder.path());
  world.stubborn = true;
  int answers = 0;
  world.tamper = [&](std::uint32_t client, Bytes& frame) {
    if (client != kLiar || wire::type_of(frame) != wire::Type::answer) return;
    auto answer = wire::decode<wire::Answer>(frame);
    // Only the answer with the clients' curvatures, one column per client.
    if (answer.values.columns() != 4 || ++answers > 1) return;
    GetParam()(answer);
    frame = wire::encode(answer);
  };
  Overrides alone = set;
  alone.insert(alone.end(), {"run.coupled=true", "output.lp=false"});
  EXPECT_EQ(run_federation(world).draws, testing::sample(kProblem, alone).draws);
  EXPECT_GT(answers, 1);
  EXPECT_THAT(world.ended, ::testing::Contains(::testing::HasSubstr("its answer cannot be taken")));
}

INSTANTIATE_TEST_SUITE_P(Answers, HostileAnswer,
                         ::testing::Values([](wire::Answer& a) { a.values.column(kLiar)[0] = kNaN; },
                                           [](wire::Answer& a) { a.values.column(kLiar)[0] = kInf; },
                                           [](wire::Answer& a) { a.values.column(0)[0] = 1e9; },
                                           [](wire::Answer& a) { a.values = Panel(1, 1); },
                                           [](wire::Answer& a) { a.values = Panel(0, 0); }));

}  // namespace
}  // namespace pollen
