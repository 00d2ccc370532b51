// Attacks on the order and the identity of what is said: a hub that repeats, reorders or changes messages, takes
// another name, plays two hubs, or sends what nobody can mean. None may give a row, an answer outside the contract, or
// the end of the site's memory.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "federation/contract.h"
#include "federation/plain.h"
#include "hub.h"

namespace pollen::attacks {
namespace {

using ::testing::HasSubstr;

constexpr Index kPatients = 200;

std::string short_study(int rounds = 10, const std::string& data = "") {
  return study(fmt::format("name = \"lsd\"\nstep = 1e-3\nprecondition = \"none\"\n[run]\ninit = \"zero\"\niterations = "
                           "{}\nburn_in = 0\nchains = 1",
                           rounds),
               data);
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

Vector sums_of(const ColumnMoments& moments) {
  return Vector::Map(moments.sum.data(), static_cast<Index>(moments.sum.size()));
}

// Asks for a gradient or a round in a hub that should not be answered any more.
bool answers(Hub& hub) {
  const Vector zero = Vector::Zero(hub.dimension());
  return hub.gradient(zero).has_value() || hub.round(0, zero).has_value();
}

void tell(const char* attack, Index rows) {
  std::printf("%-76s %3d of %d rows\n", attack, static_cast<int>(rows), static_cast<int>(kPatients));
  EXPECT_EQ(rows, 0) << attack;
}

// A site that consents to every further run still has its ledger, which compares the rows.
TEST(Tricks, DifferencesToWhichTheSiteConsents) {
  const Site site(kPatients, 21);
  std::vector<Vector> found, sums;
  std::string why;
  for (const char* change : {"limit = 190", "limit = 191", "limit = 192", "limit = 199", "limit = 0"}) {
    Hub hub(site, Guards::consenting);
    hub.set_up(short_study(10, change), change);
    if (hub.moments()) sums.push_back(sums_of(*hub.moments()));
    why += hub.why;
  }
  for (const char* share : {"0.005", "0.01", "0.04"}) {
    Hub hub(site, Guards::consenting);
    hub.set_up(with(short_study(), "test_fraction = 0.0", fmt::format("test_fraction = {}", share)), share);
    if (hub.moments()) sums.push_back(sums_of(*hub.moments()));
    why += hub.why;
  }
  for (const Vector& more : sums)
    for (const Vector& less : sums) found.push_back(more - less);
  tell("data.limit and test_fraction, with --new-run every time", site.recovered(found));
  EXPECT_THAT(why, HasSubstr("min_row_difference"));
  EXPECT_THAT(why, HasSubstr("min_test_rows"));
}

TEST(Tricks, SetUpOutOfOrder) {
  const Site site(kPatients, 22);
  const std::vector<Bytes> frames = {
      wire::encode(wire::Seat{0.5}),
      wire::encode(wire::Scaling{}),
      wire::encode(wire::Layout{}),
      wire::encode(wire::Ask{1, static_cast<std::uint8_t>(Query::What::gradient), Panel(5, 1), {}, 5, 1, 0}),
      wire::encode(wire::CatchUp{}),
      wire::encode(wire::Draws{}),
      wire::encode(wire::Acknowledged{})};
  for (const Bytes& frame : frames) {
    Hub hub(site);
    EXPECT_TRUE(hub.say(frame).empty());
    EXPECT_THAT(hub.why, HasSubstr("accepted: "));
  }
}

// After the seat the columns' scaling could make one row stand out, and another weight or place could change what
// counts.
TEST(Tricks, SetUpAgainWithOtherContent) {
  const auto after = [](unsigned seed, const auto& change, const char* says) {
    const Site site(kPatients, seed);
    Hub hub(site);
    ASSERT_TRUE(hub.set_up(short_study())) << hub.why;
    change(hub);
    EXPECT_FALSE(hub.gradient(Vector::Zero(hub.dimension())));
    EXPECT_THAT(hub.why, HasSubstr(says));
  };
  after(
      23,
      [](Hub& hub) {
        ColumnScaling other = hub.scaling();
        other.mean[0] += 1e6;
        hub.say(wire::encode(wire::Scaling{other}));
      },
      "scaling: found one that this client did not ask for");
  after(
      24, [](Hub& hub) { hub.say(wire::encode(wire::Layout{*hub.columns()})); },
      "layout: found one that this client did not ask for");
  after(
      25, [](Hub& hub) { hub.say(wire::encode(wire::Seat{0.9})); }, "the server sent the weight 0.9");
}

// The same name of a run, in the same or in another connection, with more rounds than were agreed on.
TEST(Tricks, AnotherContractBetweenSetUpAndRounds) {
  const Site site(kPatients, 26);
  int answered = 0;
  std::string why;
  for (const char* run : {"run", "run", "other"})
    for (const int rounds : {10, 1000, 11}) {
      Hub hub(site);
      if (hub.set_up(short_study(rounds), run))
        for (std::uint64_t round = 0; round < 50; ++round)
          if (hub.round(round, Vector::Constant(hub.dimension(), 1e3))) ++answered;
      why += hub.why;
    }
  EXPECT_EQ(answered, 10 + 10) << "the ten rounds, and the same bytes for the same rounds again";
  EXPECT_THAT(why, HasSubstr("run.iterations is 10 in one and 1000 in the other"));
}

TEST(Tricks, NumbersThatAreNone) {
  for (const double number : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const Site site(kPatients, 27), other(kPatients, 27);
    Hub asking(site), playing(other);
    ASSERT_TRUE(asking.set_up(study("name = \"lsd\""))) << asking.why;
    EXPECT_FALSE(asking.gradient(Vector::Constant(asking.dimension(), number)));
    EXPECT_THAT(asking.why, HasSubstr("accepted: finite numbers"));
    ASSERT_TRUE(playing.set_up(short_study())) << playing.why;
    EXPECT_FALSE(playing.round(0, Vector::Constant(playing.dimension(), number)));
    EXPECT_FALSE(playing.why.empty());
  }
}

// Names of runs become no names of files, and all names of a run have one count of questions.
TEST(Tricks, NamesOfRuns) {
  const Site site(kPatients, 28);
  for (const std::string& name : {std::string("../../escape"), std::string("a\nb"), std::string("\x1b[2J"),
                                  std::string(65, 'a'), std::string()}) {
    const bool path = name.starts_with("..");
    Hub hub(site);
    EXPECT_EQ(hub.set_up(short_study(), name), path) << name;
  }
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(site.state()) / "../../escape"));
  const Site asked(kPatients, 29);
  std::int64_t answered = 0;
  Contract contract;
  for (int n = 0; n < 5; ++n) {
    Hub hub(asked);
    if (!hub.set_up(study("name = \"lsd\""), fmt::format("run {}", n))) break;
    contract = Contract(hub.config(), {});
    for (int k = 0; k < 1000; ++k)
      if (hub.gradient(Vector::Constant(hub.dimension(), n + 1e-3 * k))) ++answered;
  }
  EXPECT_LE(answered, contract.most(Phase::set_up, Query::What::gradient));
  EXPECT_GE(answered, 1000);
  tell("other names of a run before its first round", 0);
}

// A second hub, with the study's own contract or with another, while the first one's rounds are under way.
TEST(Tricks, TwoHubs) {
  const Site site(kPatients, 30);
  {
    Hub first(site);
    ASSERT_TRUE(first.set_up(short_study(), "first")) << first.why;
    ASSERT_TRUE(first.round(0, Vector::Zero(first.dimension()))) << first.why;
  }
  for (const int rounds : {10, 20}) {
    Hub second(site);
    second.set_up(short_study(rounds), "second");
    EXPECT_FALSE(second.moments());
    EXPECT_FALSE(answers(second));
    EXPECT_THAT(second.why, HasSubstr("--new-run"));
  }
  Hub first(site);
  EXPECT_TRUE(first.set_up(short_study(), "first")) << first.why;
  EXPECT_TRUE(first.round(1, Vector::Zero(first.dimension()))) << first.why;
}

// Files that a configuration names are not opened at a site, whatever they are.
TEST(Tricks, PathsInAConfiguration) {
  const Site site(kPatients, 31);
  const std::string secret = site.state() + "-secret";
  std::ofstream(secret) << "[1,2,3]";
  for (const std::string& text : {with(short_study(), "init = \"zero\"", fmt::format("init = \"file:{}\"", secret)),
                                  short_study(10, fmt::format("source = \"{}\"", secret)),
                                  short_study() + fmt::format("\n[network]\ntrace = \"{}\"\n", secret)}) {
    Hub hub(site);
    const std::string sent = to_toml(servers_config(text));
    EXPECT_EQ(sent.find(secret), std::string::npos) << sent;
    Contract contract(servers_config(text), {});
    EXPECT_EQ(contract.text().find(secret), std::string::npos);
  }
}

// Configurations and layouts that would take all of a site's memory, or its screen.
TEST(Tricks, Bombs) {
  const std::vector<std::string> studies = {
      std::string("a = ") + std::string(1'000'000, '['),
      with(short_study(), "chains = 1", "chains = 4096") + "\n[output]\nece_bins = 1000000000",
      with(short_study(), "iterations = 10", "iterations = 9223372036854775807"),
      with(short_study(), "iterations = 10", "iterations = -1"),
      with(short_study(), "[data]", "[data]\nlevels = {recovered = [\"no\", \"yes\\u001b[2J\"]}"),
      with(short_study(), "target = \"recovered\"", "target = \"\\u001b[2J\""),
      "seed = 1\nseed = 2",
      std::string(100'000, '\0'),
  };
  for (const std::string& text : studies) {
    const Site site(kPatients, 32);
    Hub hub(site);
    EXPECT_TRUE(hub.say(wire::encode(wire::Welcome{0, 3, "run", text})).empty()) << text.substr(0, 60);
    EXPECT_FALSE(hub.why.empty());
    EXPECT_EQ(plain(hub.why).find('\x1b'), std::string::npos);
  }
  const Site site(kPatients, 33);
  Hub hub(site);
  Config config = for_federation(read_config_text(short_study(), "study.toml"), false);
  const auto said = hub.ask<wire::Columns>(wire::encode(wire::Welcome{0, 3, "run", to_toml(config)}));
  ASSERT_TRUE(said) << hub.why;
  ColumnFacts facts = said->facts;
  for (int k = 0; k < 100'000; ++k) facts.columns.push_back(fmt::format("column {}", k));
  EXPECT_TRUE(hub.say(wire::encode(wire::Layout{facts})).empty());
  EXPECT_THAT(hub.why, HasSubstr("layout"));
}

// Coordinates that stretch one direction, or that move once rounds have begun.
TEST(Tricks, CoordinatesThatMove) {
  const Site site(kPatients, 34);
  Hub hub(site);
  ASSERT_TRUE(hub.set_up(
      study("name = \"lsd\"\nstep = 1e-3\nprecondition = \"full\"\n[run]\niterations = 10\nburn_in = 0\nchains = 1")))
      << hub.why;
  const auto coordinates = [&](double scale) {
    wire::Ask message{1,
                      static_cast<std::uint8_t>(Query::What::coordinates),
                      Panel(hub.dimension(), 1),
                      Panel(hub.dimension(), 1),
                      1,
                      1,
                      0};
    for (double& x : message.direction.column(0)) x = scale;
    return hub.ask<wire::Answer>(wire::encode(message)).has_value();
  };
  EXPECT_TRUE(coordinates(1)) << hub.why;
  EXPECT_TRUE(hub.round(0, Vector::Zero(hub.dimension()))) << hub.why;
  coordinates(1e6);
  EXPECT_FALSE(hub.round(1, Vector::Zero(hub.dimension())));
  EXPECT_FALSE(hub.why.empty());
  const Site other(kPatients, 35);
  Hub flat(other);
  ASSERT_TRUE(flat.set_up(study("name = \"lsd\"\nstep = 1e-3\nprecondition = \"full\""))) << flat.why;
  wire::Ask singular{1,
                     static_cast<std::uint8_t>(Query::What::coordinates),
                     Panel(flat.dimension(), 1),
                     Panel(flat.dimension(), 1),
                     1,
                     1,
                     0};
  EXPECT_TRUE(flat.say(wire::encode(singular)).empty());
  EXPECT_THAT(flat.why, HasSubstr("cannot be inverted"));
}

// A site whose state or whose ledger is gone, by a mistake or because somebody wants the count to begin again.
TEST(Tricks, AStateOrALedgerThatIsGone) {
  for (const bool state : {true, false}) {
    const Site site(kPatients, 36);
    {
      Hub hub(site, Guards::consenting);
      ASSERT_TRUE(hub.set_up(short_study(), "run")) << hub.why;
      ASSERT_TRUE(hub.round(0, Vector::Zero(hub.dimension()))) << hub.why;
    }
    std::filesystem::remove_all(state ? site.state() : site.ledger());
    Hub hub(site, Guards::on, site.ledger());
    hub.set_up(short_study(), "run");
    EXPECT_FALSE(answers(hub));
    EXPECT_FALSE(hub.why.empty());
  }
}

// The site is told of points at which hardly any row has a say.
TEST(Tricks, PointsFarFromTheDataAreTold) {
  const Site site(kPatients, 37);
  Hub hub(site);
  ASSERT_TRUE(hub.set_up(study("name = \"lsd\""))) << hub.why;
  EXPECT_TRUE(hub.gradient(Vector::Constant(hub.dimension(), 0.1)));
  EXPECT_TRUE(hub.why.empty()) << hub.why;
  const Found found = by_thresholds([&](const Vector& theta) { return hub.gradient(theta); }, hub.dimension());
  EXPECT_GT(found.questions, 200);
  EXPECT_THAT(hub.why, HasSubstr("found 0 of 200 rows, accepted: at least 10 (1 such points of 2"));
  EXPECT_THAT(hub.why, HasSubstr("(100 such points"));
}

}  // namespace
}  // namespace pollen::attacks
