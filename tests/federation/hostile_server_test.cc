// Servers that lie. Whatever arrives at whatever time, a client ends with a documented error and reads no file but its
// own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <optional>

#include "pollen/errors.h"
#include "world.h"

namespace pollen {
namespace {

using ::testing::HasSubstr;
using testing::World;

// Three rounds have all that rounds differ in: the first, one after another, and one in which anchors move.
const std::string kProblem = testing::small_problem({.iterations = 3, .refresh = 2});
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Recording {
  Config config;
  std::vector<Bytes> frames;  // what client 0 was sent, in order
};

Recording record(const Overrides& set) {
  testing::Folder folder;
  World world(kProblem, set, {}, folder.path());
  Recording recording{world.config(), {}};
  world.overhear = [&](std::uint32_t client, const Bytes& frame) {
    if (client == 0) recording.frames.push_back(frame);
  };
  run_federation(world);
  return recording;
}

// A client without stored state that follows one recorded run.
class Listener {
 public:
  explicit Listener(const Recording& recording) {
    ParticipantOptions options;
    options.name = "c0";
    options.config = recording.config;
    options.part = 0;
    options.shared_seed = true;
    participant_ = std::make_unique<Participant>(options);
  }
  void hear(const Bytes& frame) {
    participant_->handle(frame, [&](const Bytes& out) { said.push_back(out); });
  }
  // Returns whether the frame was accepted. Any error that is not documented ends the test.
  bool survives(const Bytes& frame) {
    try {
      hear(frame);
      return true;
    } catch (const WireError&) {
    } catch (const ConfigError&) {
    } catch (const NumericError&) {
    }
    return false;
  }
  std::vector<Bytes> said;

 private:
  std::unique_ptr<Participant> participant_;
};

// Returns a client that has heard everything up to the first frame of a kind.
Listener until(const Recording& recording, wire::Type type) {
  Listener listener(recording);
  for (const Bytes& frame : recording.frames) {
    if (wire::type_of(frame) == type) break;
    listener.hear(frame);
  }
  return listener;
}

const Bytes& first_of(const Recording& recording, wire::Type type) {
  for (const Bytes& frame : recording.frames)
    if (wire::type_of(frame) == type) return frame;
  throw std::logic_error("no such frame");
}

std::vector<Bytes> every_message(const Recording& recording) {
  std::vector<Bytes> all = {wire::encode(wire::Hello{}),
                            wire::encode(wire::Welcome{}),
                            wire::encode(wire::Welcome{0, 3, "another run", "nonsense = ["}),
                            wire::encode(wire::Welcome{2, 3, std::string(100, 'x'), ""}),
                            wire::encode(wire::Welcome{7, 0xffffffff, "r", ""}),
                            wire::encode(wire::Columns{}),
                            wire::encode(wire::Layout{}),
                            wire::encode(wire::Moments{}),
                            wire::encode(wire::Scaling{}),
                            wire::encode(wire::Site{}),
                            wire::encode(wire::Seat{}),
                            wire::encode(wire::Seat{kNaN}),
                            wire::encode(wire::Seat{-1}),
                            wire::encode(wire::Acknowledged{5}),
                            wire::encode(wire::Acknowledged{~std::uint64_t{0}}),
                            wire::encode(wire::CatchUp{}),
                            wire::encode(wire::CatchUp{Bytes(300, 0xff)}),
                            wire::encode(wire::Ask{}),
                            wire::encode(wire::Answer{}),
                            wire::encode(wire::Draws{}),
                            Bytes{},
                            Bytes(16, 0)};
  for (const Bytes& frame : recording.frames)
    if (wire::type_of(frame) != wire::Type::end) all.push_back(frame);
  return all;
}

// Clients in one state, which have heard the first frames of a recording. A client that has refused a frame hears
// others, up to eight in all, because it takes long to make one; a real client would leave after the first.
class Crowd {
 public:
  Crowd(const Recording& recording, std::size_t heard) : recording_(recording), heard_(heard) {}

  void hear(const Bytes& frame) {
    if (!listener_) {
      listener_.emplace(recording_);
      for (std::size_t i = 0; i < heard_; ++i) listener_->hear(recording_.frames[i]);
      left_ = 8;
    }
    const bool taken = listener_->survives(frame);
    if (taken) listener_->survives(recording_.frames[heard_]);
    if (taken || --left_ == 0) listener_.reset();
  }

 private:
  const Recording& recording_;
  std::size_t heard_;
  std::optional<Listener> listener_;
  int left_ = 0;
};

class HostileServer : public ::testing::TestWithParam<const char*> {
 protected:
  Recording recording_ = record({fmt::format("sampler.name={}", GetParam())});
};

TEST_P(HostileServer, EveryMessageInEveryState) {
  const auto all = every_message(recording_);
  for (std::size_t heard = 0; heard < recording_.frames.size(); ++heard) {
    Crowd crowd(recording_, heard);
    for (const Bytes& frame : all) crowd.hear(frame);
  }
}

// Damages every frame at its proper place: a byte changed, a cut, or extra bytes.
TEST_P(HostileServer, MutatedMessages) {
  std::mt19937 random(3);
  for (std::size_t heard = 0; heard < recording_.frames.size(); ++heard) {
    Crowd crowd(recording_, heard);
    for (int i = 0; i < 60; ++i) {
      Bytes frame = recording_.frames[heard];
      for (unsigned n = random() % 4; n < 4; ++n)
        frame[wire::kFrameHeader + random() % (frame.size() - wire::kFrameHeader)] =
            static_cast<std::uint8_t>(random());
      crowd.hear(frame);
    }
  }
}

// Tries every question in every size.
TEST_P(HostileServer, Questions) {
  Listener listener = until(recording_, wire::Type::end);
  for (std::uint8_t what = 0; what < 18; ++what)
    for (const Index rows : {0, 1, 2, 4, 5, 1 << 30})
      for (const Index columns : {0, 1, 2, 3, 1 << 30})
        for (const Index at : {0, 1, 2, 3})
          for (const Index along : {0, 1, 2}) {
            wire::Ask ask{1, what, Panel(5, at), Panel(5, along), rows, columns};
            const std::size_t before = listener.said.size();
            const bool taken = listener.survives(wire::encode(ask));
            EXPECT_EQ(listener.said.size(), before + (taken ? 1 : 0));
            EXPECT_TRUE(!taken || listener.said.back().size() <= 300U);
          }
}

// With coordinates, of which the client is told, and which it is brought up to date with.
TEST_P(HostileServer, Coordinates) {
  const Recording in_psi = record({fmt::format("sampler.name={}", GetParam()), "sampler.precondition=full"});
  Listener listener = until(in_psi, wire::Type::broadcast);
  const auto what = static_cast<std::uint8_t>(Query::What::coordinates);
  Panel matrix(15, 1);
  for (const Index diagonal : {0, 2, 5, 9, 14}) matrix.column(0)[static_cast<std::size_t>(diagonal)] = 1;
  EXPECT_TRUE(listener.survives(wire::encode(wire::Ask{1, what, Panel(5, 1), matrix, 1, 1})));
  for (const double bad : {0.0, -1.0, kNaN}) {
    Panel damaged = matrix;
    damaged.column(0)[9] = bad;
    EXPECT_THROW(listener.hear(wire::encode(wire::Ask{1, what, Panel(5, 1), damaged, 1, 1})), WireError);
  }
  EXPECT_THROW(listener.hear(wire::encode(wire::Ask{1, what, Panel(5, 1), Panel(5, 5), 1, 1})), WireError);
  EXPECT_THROW(
      until(recording_, wire::Type::broadcast).hear(wire::encode(wire::Ask{1, what, Panel(5, 1), matrix, 1, 1})),
      WireError)
      << "the run samples in the model's own coordinates";
  EXPECT_THROW(listener.hear(wire::encode(wire::CatchUp{Bytes(300, 0x02)})), WireError);
}

TEST_P(HostileServer, QuestionsAtNoPlace) {
  Listener listener = until(recording_, wire::Type::end);
  wire::Ask ask{1, 1, Panel(5, 1), {}, 5, 1};
  EXPECT_TRUE(listener.survives(wire::encode(ask)));
  ask.at.column(0)[2] = kNaN;
  EXPECT_THROW(listener.hear(wire::encode(ask)), WireError);
}

TEST_P(HostileServer, DescentWithoutAWarmUp) {
  wire::Ask ask{1, static_cast<std::uint8_t>(Query::What::descent), Panel(5, 2), {}, 5, 2};
  EXPECT_THROW(until(recording_, wire::Type::end).hear(wire::encode(ask)), WireError);
  const Recording warmed = record({fmt::format("sampler.name={}", GetParam()), "warm_up.epochs=1"});
  Listener listener = until(warmed, wire::Type::end);
  EXPECT_TRUE(listener.survives(wire::encode(ask)));
  ask.step = Query::kSteps;
  EXPECT_THROW(listener.hear(wire::encode(ask)), WireError);
}

TEST_P(HostileServer, Broadcasts) {
  Broadcast honest;
  std::vector<std::uint32_t> chains;
  wire::decode(first_of(recording_, wire::Type::broadcast), honest, chains);
  const auto refused = [&](const std::function<void(Broadcast&, std::vector<std::uint32_t>&)>& change) {
    Listener listener = until(recording_, wire::Type::broadcast);
    Broadcast broadcast = honest;
    std::vector<std::uint32_t> to = chains;
    change(broadcast, to);
    Bytes frame;
    wire::encode(broadcast, to, frame);
    EXPECT_THROW(listener.hear(frame), WireError);
  };
  refused([](Broadcast& b, auto&) { b.offset.pop_back(), b.payload.resize(b.offset.back()); });
  refused([](Broadcast& b, auto&) { b.payload.push_back(0), ++b.offset.back(); });
  refused([](Broadcast&, auto& to) { to.clear(); });
  refused([](Broadcast&, auto& to) { to.pop_back(); });
  refused([](Broadcast& b, auto&) { b.segment.steps = b.segment.steps == 0 ? 1 : 0; });
  refused([](Broadcast& b, auto&) { b.segment.steps = 1 << 20; });
  refused([](Broadcast& b, auto&) { b.segment.first = ~std::uint64_t{0}; });
  refused([](Broadcast& b, auto&) { b.round = ~std::uint64_t{0}; });
  refused([](Broadcast& b, auto&) { b.control = Bytes(5 * 2 * 2 * 8, 0xff); });
  refused([](Broadcast& b, auto&) { b.control = Bytes(3, 0); });
  refused([](Broadcast& b, auto&) { std::ranges::fill(b.payload, std::uint8_t{0xff}); });
  for (const double x : {0.0, -1.0, kNaN, std::numeric_limits<double>::infinity()})
    refused([x](Broadcast& b, auto&) { b.step.size = x; });
  for (const double x : {-1.0, kNaN}) refused([x](Broadcast& b, auto&) { b.step.smoothness = b.step.convexity = x; });
}

// The step of a run never changes, so a server cannot have a client account for privacy with another step than it
// walks.
TEST_P(HostileServer, AnotherStepInALaterRound) {
  Listener listener = until(recording_, wire::Type::broadcast);
  const Bytes& first = first_of(recording_, wire::Type::broadcast);
  listener.hear(first);
  Broadcast changed;
  std::vector<std::uint32_t> chains;
  wire::decode(first, changed, chains);
  changed.step.size *= 2;
  Bytes frame;
  wire::encode(changed, chains, frame);
  EXPECT_THROW(listener.hear(frame), WireError);
  EXPECT_TRUE(listener.survives(first));
}

// A client's random numbers depend on its own number, so that another number would draw other rows for the same round.
TEST_P(HostileServer, AnotherNumberInALaterWelcome) {
  Listener listener = until(recording_, wire::Type::broadcast);
  listener.hear(first_of(recording_, wire::Type::broadcast));
  const auto welcome = wire::decode<wire::Welcome>(first_of(recording_, wire::Type::welcome));
  listener.hear(wire::encode(wire::Welcome{welcome.index + 1, welcome.clients, welcome.run, welcome.config}));
  listener.hear(first_of(recording_, wire::Type::seat));
  ASSERT_EQ(wire::type_of(listener.said.back()), wire::Type::refusal);
  EXPECT_THAT(wire::decode<wire::Refusal>(listener.said.back()).why,
              HasSubstr("calls this client number 2 of 3, accepted: number 1 of 3"));
}

TEST_P(HostileServer, StepsBeyondAllNumbers) {
  Listener listener = until(recording_, wire::Type::broadcast);
  Broadcast changed;
  std::vector<std::uint32_t> chains;
  wire::decode(first_of(recording_, wire::Type::broadcast), changed, chains);
  changed.step = {1e300, 1e300, 1e300};
  Bytes frame;
  wire::encode(changed, chains, frame);
  listener.survives(frame);  // the reply may be anything, but the client ends with no other error
}

TEST_P(HostileServer, Standings) {
  Listener listener = until(recording_, wire::Type::broadcast);
  EXPECT_THROW(listener.hear(wire::encode(wire::CatchUp{Bytes(16)})), WireError);
  // An honest broadcast in which one number is replaced by something that is not a number.
  Recipe recipe;
  std::vector<std::string> warnings;
  recipe = complete(recording_.config, 3, 5, warnings);
  ClientView view(recipe, 5, 2, 3, {1, 1});
  Archive archive;
  view.archive(archive);
  const Bytes honest = archive.take();
  EXPECT_TRUE(listener.survives(wire::encode(wire::CatchUp{honest})));
  Bytes bad = honest;
  std::memcpy(bad.data() + 8, &kNaN, sizeof kNaN);
  EXPECT_THROW(listener.hear(wire::encode(wire::CatchUp{bad})), WireError);
}

INSTANTIATE_TEST_SUITE_P(Samplers, HostileServer,
                         ::testing::Values("lsd", "qlsd++", "lsd*", "p-elf", "fald", "vr-fald*"), [](const auto& test) {
                           std::string name = test.param;
                           for (char& c : name)
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           return name;
                         });

// A client with its own file, which takes the server's configuration.
class OwnFile : public ::testing::Test {
 protected:
  OwnFile() {
    write("data.csv", "x,colour,t\n1,red,no\n2,blue,yes\n3,red,no\n4,blue,yes\n5,red,yes\n6,blue,no\n");
    begin();
  }
  // Starts a client that has heard of no study yet; it would take no other.
  void begin() {
    ParticipantOptions options;
    options.name = "a";
    options.data = folder_.path() + "/data.csv";
    participant_ = std::make_unique<Participant>(options);
    said_.clear();
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() + "/" + name, std::ios::binary) << text;
  }
  void hear(const Bytes& frame) {
    participant_->handle(frame, [&](const Bytes& out) { said_.push_back(out); });
  }
  void welcome(const std::string& more, std::uint32_t clients = 2) {
    begin();
    hear(wire::encode(wire::Welcome{0, clients, "run", fmt::format("[model]\nkind = \"logistic\"\n{}", more)}));
  }
  ColumnFacts columns() { return wire::decode<wire::Columns>(said_.back()).facts; }
  testing::Folder folder_;
  std::unique_ptr<Participant> participant_;
  std::vector<Bytes> said_;
};

TEST_F(OwnFile, Honest) {
  welcome("");
  hear(wire::encode(wire::Layout{columns()}));
  EXPECT_EQ(wire::type_of(said_.back()), wire::Type::moments);
  hear(wire::encode(wire::Scaling{{{0, 0}, {1, 1}}}));
  EXPECT_EQ(wire::type_of(said_.back()), wire::Type::site);
  EXPECT_THROW(hear(wire::encode(wire::Scaling{{{0, 0}, {1, 1}}})), WireError);
}

TEST_F(OwnFile, ColumnsToLeaveOutAreChecked) {
  welcome("");
  hear(wire::encode(wire::Layout{columns()}));
  for (const ColumnScaling& bad :
       {ColumnScaling{{0}, {1}, {}, {2}, {5}}, ColumnScaling{{0}, {1}, {}, {-1}, {5}},
        ColumnScaling{{0, 0}, {1, 1}, {}, {0}, {5}}, ColumnScaling{{}, {}, {}, {1, 0}, {5, 5}}})
    EXPECT_THROW(hear(wire::encode(wire::Scaling{bad})), WireError);
  hear(wire::encode(wire::Scaling{{{0}, {1}, {}, {1}, {5}}}));
  ASSERT_EQ(wire::type_of(said_.back()), wire::Type::site);
  EXPECT_EQ(wire::decode<wire::Site>(said_.back()).facts.feature_names, (std::vector<std::string>{"intercept", "x"}));
}

TEST_F(OwnFile, ConfigurationsThatAreNone) {
  EXPECT_THROW(welcome("[["), ConfigError);
  EXPECT_THROW(welcome("[sampler]\nname = \"nobody\""), ConfigError);
  EXPECT_THROW(welcome("[sampler]\nname = \"fedsoul\""), ConfigError);
  EXPECT_THROW(welcome("[run]\nchains = 1000000000"), ConfigError);
  EXPECT_THROW(hear(wire::encode(wire::Layout{})), WireError);
}

// The client opens no path of the server's; otherwise the secret would show in its messages or in an error.
TEST_F(OwnFile, NoOtherFileIsRead) {
  write("secret.csv", "x,secret,t\n1,2,no\n3,4,yes\n");
  write("secret-labels", std::string("\0\0\x08\x01\0\0\0\x01\x01", 9));
  const std::string secret = folder_.path() + "/secret.csv", labels = folder_.path() + "/secret-labels";
  welcome(fmt::format("[data]\nsource = \"{}\"", secret));
  EXPECT_EQ(columns().columns, (std::vector<std::string>{"x", "colour"}));
  welcome(fmt::format("[data]\nsource = [\"{}\", \"{}\"]\npartition = \"given\"", secret, secret), 3);
  EXPECT_EQ(columns().columns, (std::vector<std::string>{"x", "colour"}));
  for (const char* format : {"idx", "cifar", "libsvm"}) {
    try {
      welcome(fmt::format("[data]\nsource = \"{}\"\nformat = \"{}\"\nlabels = \"{}\"", secret, format, labels));
      ADD_FAILURE() << "a csv file was read as " << format;
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), ::testing::Not(HasSubstr("secret")));
    }
  }
}

TEST_F(OwnFile, LayoutsOfOtherColumns) {
  const auto refused = [&](const std::function<void(ColumnFacts&)>& change) {
    welcome("");
    ColumnFacts facts = columns();
    change(facts);
    EXPECT_THROW(hear(wire::encode(wire::Layout{facts})), ConfigError);
  };
  refused([](ColumnFacts& f) { f.columns.pop_back(); });
  refused([](ColumnFacts& f) { f.columns.insert(f.columns.end(), 1000, "x"); });
  refused([](ColumnFacts& f) { f.target = "x"; });
  refused([](ColumnFacts& f) { f.width = 1000000000; });
  refused([](ColumnFacts& f) { f.levels["x"] = {"a", "b"}; });
  refused([](ColumnFacts& f) { f.levels["colour"] = {"red"}; });
  refused([](ColumnFacts& f) { f.levels.clear(); });
}

TEST_F(OwnFile, LevelsForTerminals) {
  welcome("");
  ColumnFacts facts = columns();
  facts.levels["colour"].emplace_back("\x1b[2J");
  try {
    hear(wire::encode(wire::Layout{facts}));
    ADD_FAILURE() << "the level was accepted";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("control characters in the name \"?[2J\""));
  }
}

TEST_F(OwnFile, NumbersOfClients) {
  EXPECT_THROW(welcome("", 0), WireError);
  EXPECT_THROW(welcome("", 0xffffffff), WireError);
}

TEST_F(OwnFile, NamesOfRunsForTerminals) {
  try {
    hear(wire::encode(wire::Welcome{0, 2, "\x1b]0;x\x07" + std::string(100000, 'x'), ""}));
    ADD_FAILURE() << "the name was accepted";
  } catch (const WireError& error) {
    const std::string text = error.what();
    EXPECT_LT(text.size(), 3000U);
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
  }
}

TEST_F(OwnFile, WordsForTerminals) {
  hear(wire::encode(wire::Refusal{"\x1b]0;title\x07\xc2\x9b" + std::string(100000, 'x'), true}));
  const std::string why = participant_->ended()->why;
  EXPECT_LT(why.size(), 3000U);
  EXPECT_TRUE(why.starts_with("?]0;title??"));
}

}  // namespace
}  // namespace pollen
