// Tests the set-up of clients with their own files message by message, including clients that lie.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "federation/federation.h"
#include "pollen/errors.h"

namespace pollen {
namespace {

using ::testing::HasSubstr;

struct Over {};

// Connections that follow a script and then end the test.
class Script final : public Links {
 public:
  std::optional<LinkEvent> next(Deadline) override {
    if (events.empty()) throw Over();
    LinkEvent event = std::move(events.front());
    events.pop_front();
    return event;
  }
  void send(std::uint64_t link, Frame frame) override {
    if (wire::type_of(*frame) == wire::Type::refusal) refused[link] = wire::decode<wire::Refusal>(*frame).why;
    bytes += frame->size();
    types[link].push_back(wire::type_of(*frame));
  }
  void close(std::uint64_t) override {}
  void limit_frames(std::size_t) override {}

  void open(std::uint64_t link) { events.push_back({LinkEvent::What::opened, link, {}, {}}); }
  void say(std::uint64_t link, Bytes frame) { events.push_back({LinkEvent::What::frame, link, {}, std::move(frame)}); }
  void arrive(std::uint64_t link, const std::string& name) { arrive(link, name, link); }
  void arrive(std::uint64_t link, const std::string& name, std::uint64_t instance) {
    wire::Hello hello;
    hello.name = name;
    hello.instance = instance;
    open(link);
    say(link, wire::encode(hello));
  }

  std::deque<LinkEvent> events;
  std::map<std::uint64_t, std::string> refused;
  std::map<std::uint64_t, std::vector<wire::Type>> types;
  std::size_t bytes = 0;
};

const char* kServer = R"(
[model]
kind = "logistic"
[data]
source = "own.csv"
[federation]
expect = ["a", "b", "c"]
[sampler]
name = "lsd"
step = 0.1
)";

wire::Columns columns(std::vector<std::string> names = {"x", "y"}) {
  wire::Columns message;
  message.facts.columns = std::move(names);
  message.facts.target = "t";
  message.facts.levels["t"] = {"no", "yes"};
  return message;
}

wire::Site site(Index rows, Index features = 3) {
  wire::Site message;
  message.facts.rows = rows;
  message.facts.features = features;
  return message;
}

class Setup : public ::testing::Test {
 protected:
  Setup() : config_(read_config_text(kServer, "test.toml")) {
    for (std::uint64_t i = 0; i < 3; ++i) script_.arrive(i + 1, std::string(1, static_cast<char>('a' + i)));
  }
  void gather() {
    ConnectionRegistry registry(script_, config_, {});
    try {
      registry.gather();
      gathered_ = true;
      sites_ = registry.sites();
    } catch (const Over&) {
    }
  }
  void all(const Bytes& frame) {
    for (std::uint64_t i = 1; i <= 3; ++i) script_.say(i, frame);
  }
  Script script_;
  Config config_;
  bool gathered_ = false;
  std::vector<SiteFacts> sites_;
};

TEST_F(Setup, Honest) {
  all(wire::encode(columns()));
  all(wire::encode(wire::Moments{{10, {1, 2}, {3, 4}}}));
  all(wire::encode(site(10)));
  gather();
  EXPECT_TRUE(gathered_);
  EXPECT_TRUE(script_.refused.empty());
}

// A revoked certificate bars whoever comes with it, but not a client of that name that is here with another one.
TEST_F(Setup, ARevokedCertificateSpeaksForNobodyElse) {
  for (const bool here : {true, false}) {
    if (!here) script_ = Script();
    script_.events.push_back({LinkEvent::What::opened, 9, "a", {}, "revoked"});
    RegistryOptions options;
    options.barred = [](const std::string&, const std::string& serial) {
      return serial == "revoked" ? std::string("its certificate is revoked") : std::string();
    };
    ConnectionRegistry registry(script_, config_, options);
    EXPECT_THROW(registry.gather(), Over);
    EXPECT_EQ(script_.refused[9], "its certificate is revoked");
    EXPECT_EQ(registry.barred(0), !here);
  }
}

// The others wait for what a client says on its new connection, not for what it said on the old one.
TEST_F(Setup, ALineIsCutAfterAnyMessage) {
  const std::vector<Bytes> messages = {wire::encode(columns()), wire::encode(wire::Moments{{10, {1, 2}, {3, 4}}}),
                                       wire::encode(site(10))};
  for (std::size_t cut = 0; cut < messages.size(); ++cut) {
    script_ = {};
    for (std::uint64_t i = 0; i < 3; ++i) script_.arrive(i + 1, std::string(1, static_cast<char>('a' + i)));
    for (std::size_t step = 0; step < messages.size(); ++step) {
      const std::uint64_t first = step > cut ? 4 : 1;
      script_.say(first, messages[step]);
      if (step == cut) script_.events.push_back({LinkEvent::What::closed, 1, {}, {}});
      script_.say(2, messages[step]);
      script_.say(3, messages[step]);
      if (step != cut) continue;
      script_.arrive(4, "a", 1);
      for (std::size_t again = 0; again <= cut; ++again) script_.say(4, messages[again]);
    }
    gathered_ = false;
    gather();
    EXPECT_TRUE(gathered_) << cut;
    EXPECT_TRUE(script_.refused.empty()) << cut << ": " << script_.refused.begin()->second;
    EXPECT_TRUE(script_.events.empty()) << cut << ": it began before everybody had spoken";
  }
}

TEST_F(Setup, OtherColumnsThanTheMajority) {
  script_.say(1, wire::encode(columns({"z"})));  // the first client lies, and the others stay
  script_.say(2, wire::encode(columns()));
  script_.say(3, wire::encode(columns()));
  script_.arrive(4, "a");
  script_.say(4, wire::encode(columns()));
  gather();
  EXPECT_EQ(script_.refused.size(), 1U);
  EXPECT_THAT(script_.refused[1], HasSubstr("not those of the other clients"));
  EXPECT_EQ(script_.types[4], (std::vector{wire::Type::welcome, wire::Type::layout}));
}

TEST_F(Setup, WhoeverComesAgainAndAgainDoesNotFillTheLog) {
  for (std::uint64_t link = 10; link < 60; ++link) script_.arrive(link, link % 2 == 0 ? "z" : "y");
  int said = 0;
  ConnectionRegistry registry(script_, config_,
                              {.tell = [&](const Notice& n) { said += n.event == "refused" ? 1 : 0; }});
  EXPECT_THROW(registry.gather(), Over);
  EXPECT_EQ(script_.refused.size(), 50U);
  EXPECT_EQ(said, 2);
}

// Names are shown on the hub's terminal and, once all have them, on those of the other sites.
TEST_F(Setup, NamesWithControlCharacters) {
  wire::Columns rough = columns();
  rough.facts.levels["t"].emplace_back("\x1b]0;yes");
  script_.say(1, wire::encode(columns({"x", "y\xc2\x9b"})));
  script_.say(2, wire::encode(rough));
  script_.say(3, wire::encode(columns()));
  gather();
  EXPECT_EQ(script_.refused[1], "its columns or levels have control characters in \"y?\x9b\"");
  EXPECT_EQ(script_.refused[2], "its columns or levels have control characters in \"?]0;yes\"");
  EXPECT_EQ(script_.refused.count(3), 0U);
}

TEST_F(Setup, NoMajorityIsAnError) {
  script_.say(1, wire::encode(columns({"z"})));
  script_.say(2, wire::encode(columns({"x"})));
  script_.say(3, wire::encode(columns()));
  EXPECT_THROW(gather(), ConfigError);
}

TEST_F(Setup, MomentsOfOtherColumns) {
  all(wire::encode(columns()));
  script_.say(1, wire::encode(wire::Moments{{10, {1}, {3}}}));
  script_.say(2, wire::encode(wire::Moments{{10, {1, 2}, {3, 4}}}));
  script_.say(3, wire::encode(wire::Moments{{10, {1, 2}, {3, 4}}}));
  gather();
  EXPECT_EQ(script_.refused.size(), 1U);
  EXPECT_THAT(script_.refused[1], HasSubstr("another number of columns"));
}

TEST_F(Setup, MomentsThatAreNoNumbers) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  all(wire::encode(columns()));
  script_.say(1, wire::encode(wire::Moments{{kNaN, {1, 2}, {3, 4}}}));
  script_.say(2, wire::encode(wire::Moments{{10, {1, kNaN}, {3, 4}}}));
  script_.say(3, wire::encode(wire::Moments{{10, {1}, {3, 4}}}));
  gather();
  EXPECT_EQ(script_.refused.size(), 3U);
}

TEST_F(Setup, OutOfOrder) {
  script_.say(1, wire::encode(wire::Moments{{10, {1, 2}, {3, 4}}}));
  script_.say(2, wire::encode(columns()));
  script_.say(2, wire::encode(columns()));
  script_.say(3, wire::encode(site(10)));
  script_.say(3, wire::encode(columns()));
  gather();
  EXPECT_EQ(script_.refused.size(), 3U);
  for (const auto& [link, why] : script_.refused) EXPECT_THAT(why, HasSubstr("set-up out of order"));
}

TEST_F(Setup, RepliesBeforeTheRounds) {
  Reply reply;
  reply.offset = {0};
  Bytes frame;
  wire::encode(reply, frame);
  script_.say(1, frame);
  script_.say(2, wire::encode(wire::Answer{1, Panel(1, 1)}));
  script_.say(3, wire::encode(wire::Hello{}));
  gather();
  EXPECT_EQ(script_.refused.size(), 3U);
}

TEST_F(Setup, SitesOfOtherModels) {
  script_.say(1, wire::encode(site(10, 1 << 30)));  // would need a model of gigabytes
  script_.say(2, wire::encode(site(10)));
  script_.say(3, wire::encode(site(20)));
  script_.arrive(4, "a");
  script_.say(4, wire::encode(site(30)));
  gather();
  EXPECT_TRUE(gathered_);
  EXPECT_THAT(script_.refused[1], HasSubstr("not those of the other clients"));
  ASSERT_EQ(sites_.size(), 3U);
  EXPECT_EQ(sites_[0].rows, 30);
}

TEST_F(Setup, SitesThatCannotBe) {
  script_.say(1, wire::encode(site(0)));
  script_.say(2, wire::encode(site(Index{1} << 50)));
  script_.say(3, wire::encode(site(10, Index{1} << 50)));
  gather();
  EXPECT_EQ(script_.refused.size(), 3U);
}

// By these numbers the server turns draws into the units of the data.
TEST_F(Setup, ScalingsThatDoNotFit) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  for (const ColumnScaling& bad :
       {ColumnScaling{std::vector<double>(1000), std::vector<double>(1000, 1.0)}, ColumnScaling{{0, 0}, {1}},
        ColumnScaling{{0, 0}, {1, 0}}, ColumnScaling{{0, kNone}, {1, 1}}, ColumnScaling{{0}, {1}},
        ColumnScaling{{0, 0}, {1, 1}, {1}}, ColumnScaling{{0, 0}, {1, 1}, {1, kNone}},
        ColumnScaling{{}, {}, {}, {}, {}, std::vector<double>(9), std::vector<double>(9, 1.0)}}) {
    wire::Site wrong = site(10);
    wrong.facts.scaling = bad;
    script_ = {};
    script_.arrive(1, "a");
    script_.say(1, wire::encode(wrong));
    gather();
    EXPECT_THAT(script_.refused[1], HasSubstr("found")) << bad.mean.size();
  }
}

// One client's impossible sums must not end the run for all.
TEST_F(Setup, MomentsThatCannotBe) {
  all(wire::encode(columns()));
  script_.say(1, wire::encode(wire::Moments{{10, {1, 2}, {3, -4}}}));
  script_.say(2, wire::encode(wire::Moments{{10, {1e300, 2}, {3, 4}}}));
  script_.say(3, wire::encode(wire::Moments{{1e300, {1, 2}, {3, 4}}}));
  gather();
  EXPECT_EQ(script_.refused.size(), 3U);
}

// Counts that promise more than the frame holds are refused before memory is taken.
TEST_F(Setup, HugeCounts) {
  for (std::size_t at = 0; at < 64; at += 8) {
    for (const Bytes& honest : {wire::encode(columns()), wire::encode(wire::Moments{{10, {1, 2}, {3, 4}}}),
                                wire::encode(site(10)), wire::encode(wire::Answer{1, Panel(2, 2)})}) {
      Bytes frame = honest;
      const std::uint64_t huge = std::uint64_t{1} << 61;
      if (wire::kFrameHeader + at + 8 > frame.size()) continue;
      std::memcpy(frame.data() + wire::kFrameHeader + at, &huge, 8);
      script_.arrive(10 + script_.events.size(), "a");
      script_.say(9 + script_.events.size(), frame);
    }
  }
  EXPECT_NO_THROW(gather());
}

TEST_F(Setup, NamesThatAreNone) {
  script_.arrive(4, "");
  script_.arrive(5, "a\x1b[31m");
  script_.arrive(6, std::string(5000, 'x'));
  script_.arrive(7, "stranger");
  script_.arrive(8, "a");  // another instance of the same client
  gather();
  EXPECT_EQ(script_.refused.size(), 5U);
  EXPECT_THAT(script_.refused[8], HasSubstr("connected already"));
}

// Many connections never say a word, and many say a wrong one.
TEST_F(Setup, Strangers) {
  for (std::uint64_t i = 10; i < 20000; ++i) script_.open(i);
  for (std::uint64_t i = 20000; i < 21000; ++i) script_.say(i, Bytes(100, 7));
  EXPECT_NO_THROW(gather());
}

}  // namespace
}  // namespace pollen
