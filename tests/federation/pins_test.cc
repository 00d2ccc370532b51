// What binds a client to a study and a run: the contract that was agreed, the data file, and what was settled once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "federation/client_state.h"
#include "pollen/errors.h"
#include "site/ledger.h"
#include "world.h"

namespace pollen {
namespace {

using ::testing::HasSubstr;
using What = Query::What;

const char* kPinnedStudy = R"(
[model]
kind = "logistic"
[data]
target = "t"
test_fraction = 0.4
[sampler]
name = "lsd"
step = 0.01
[run]
iterations = 50
chains = 1
coupled = true
[output]
lp = false
[federation]
expect = ["a", "b"]
)";

// Clients with one file, whose server the test plays.
class Pins : public ::testing::Test {
 protected:
  Pins() {
    write(20);
    options_.name = "a";
    options_.data = folder_.path() + "/data.csv";
    options_.state = folder_.path() + "/state";
    options_.tell = [this](const Notice& notice) { log_ += fmt::format("{}: {}\n", notice.event, notice.text); };
    start();
  }
  void write(int rows) {
    std::ofstream out(folder_.path() + "/data.csv");
    out << "x,t\n";
    for (int i = 0; i < rows; ++i) out << fmt::format("{},{}\n", (i * 7) % 11, i % 3 == 0 ? "yes" : "no");
  }
  void start() {
    client_.reset();
    client_ = std::make_unique<Participant>(options_);
    said_.clear();
  }
  // Returns the type of what the client said last, or nothing if it said nothing.
  std::optional<wire::Type> hear(const Bytes& frame) {
    said_.clear();
    client_->handle(frame, [&](const Bytes& out) { said_.push_back(out); });
    return said_.empty() ? std::nullopt : std::optional(wire::type_of(said_.back()));
  }
  static std::string text(const Overrides& set = {}) { return to_toml(read_config_text(kPinnedStudy, "study", set)); }
  bool welcome(const std::string& run, const Overrides& set = {}, std::uint32_t index = 0) {
    return hear(wire::encode(wire::Welcome{index, 2, run, text(set)})) == wire::Type::columns;
  }
  // Takes the client from its columns to its seat, and returns the moments that it sent.
  Bytes set_up(const std::vector<double>& scale = {1}, double weight = 0.5) {
    hear(wire::encode(wire::Layout{wire::decode<wire::Columns>(said_.back()).facts}));
    const Bytes moments = said_.back();
    if (hear(wire::encode(wire::Scaling{{{0}, scale, {}, {}, {}, {}, {}}})) != wire::Type::site) return moments;
    hear(wire::encode(wire::Seat{weight}));
    return moments;
  }
  bool round(std::uint64_t number) {
    Broadcast broadcast;
    broadcast.round = number;
    broadcast.whole = broadcast.segment.starts = broadcast.segment.ends = true;
    broadcast.step.size = 0.01;
    broadcast.payload.resize(2 * sizeof(double));
    broadcast.offset = {0, broadcast.payload.size()};
    Bytes frame;
    wire::encode(broadcast, std::vector<std::uint32_t>{0}, frame);
    return hear(frame) == wire::Type::reply;
  }
  std::string digest(const Overrides& set = {}) const {
    return contract_for(options_, servers_config(text(set)), 2).digest();
  }

  testing::Folder folder_;
  ParticipantOptions options_;
  std::unique_ptr<Participant> client_;
  std::vector<Bytes> said_;
  std::string log_;
};

TEST_F(Pins, TheFirstStudyIsPinned) {
  EXPECT_TRUE(welcome("one"));
  EXPECT_THAT(log_, HasSubstr("pinned: trust on first use: from now on " + options_.data));
  EXPECT_THAT(log_, HasSubstr(digest()));
  start();
  EXPECT_FALSE(welcome("two", {"data.limit=15"}));
  EXPECT_THAT(log_, HasSubstr("of another study (data.limit is 0 in one and 15 in the other)"));
  EXPECT_THAT(client_->ended()->why, ::testing::Not(HasSubstr("limit")))
      << "what the other study was is not for this server";
  start();
  EXPECT_FALSE(welcome("one", {"data.limit=15"}));
  EXPECT_THAT(log_, HasSubstr("not the one that this run began with: data.limit is 0"));
}

TEST_F(Pins, ANewRunNeedsToBeAllowed) {
  EXPECT_TRUE(welcome("one"));
  set_up();
  EXPECT_TRUE(round(0));
  start();
  EXPECT_FALSE(welcome("two"));
  EXPECT_THAT(client_->ended()->why,
              HasSubstr("a further run over the same data needs --new-run; waiting for the server"));
  EXPECT_TRUE(client_->ended()->again) << "it may have the wrong state, and the right server may come back";
  start();
  hear(wire::encode(wire::End{true, "done"}));
  start();
  EXPECT_FALSE(welcome("two"));
  EXPECT_FALSE(client_->ended()->again);
  EXPECT_THAT(log_, HasSubstr("refused: " + options_.data + " has taken part in a run already"));
  options_.new_run = true;
  start();
  EXPECT_TRUE(welcome("two"));
  set_up();
  EXPECT_TRUE(round(0));
  EXPECT_FALSE(welcome("three")) << "one further run, not any number";
  options_.new_run = false;
  start();
  EXPECT_TRUE(welcome("two"));
  EXPECT_TRUE(welcome("one")) << "the earlier run is still there";
  write(21);
  start();
  EXPECT_TRUE(welcome("four")) << "other data";
}

// A server that is started again before the first round has another name for the run. It learns nothing more by that.
TEST_F(Pins, ARunThatHasNotBegunMayHaveAnotherName) {
  EXPECT_TRUE(welcome("one"));
  const Bytes moments = set_up();
  start();
  EXPECT_TRUE(welcome("two", {}, 1));
  EXPECT_EQ(set_up(), moments) << "the same rows are held out";
  EXPECT_TRUE(round(0));
  EXPECT_FALSE(welcome("three"));
}

// All names of a run share what was answered, so that going to and fro between them gives no answer twice.
TEST_F(Pins, ARunUnderManyNamesIsOneRun) {
  int answered = 0;
  const auto ask_many = [&](const std::string& run) {
    start();
    EXPECT_TRUE(welcome(run));
    set_up();
    const auto what = static_cast<std::uint8_t>(What::hessian);
    for (int more = 0; more < 20; ++more) {
      wire::Ask ask{1, what, Panel(2, 1), {}, 3, 1, 0};
      ask.at.column(0)[0] = answered;
      if (hear(wire::encode(ask)) != wire::Type::answer) return;
      ++answered;
    }
  };
  for (const char* run : {"one", "two", "one", "three"}) ask_many(run);
  EXPECT_EQ(answered, contract_for(options_, servers_config(text()), 2).most(Phase::set_up, What::hessian));
  start();
  EXPECT_TRUE(welcome("two"));
  set_up();
  EXPECT_TRUE(round(0));
  start();
  EXPECT_FALSE(welcome("one"));
  EXPECT_THAT(log_, HasSubstr("goes back to the name one of a run whose rounds have begun under its later name two"));
}

TEST_F(Pins, ARunHasAHundredNamesAtMost) {
  int names = 0;
  while (names < 200 && welcome(fmt::format("run {}", names))) ++names;
  EXPECT_EQ(names, 101);
  EXPECT_THAT(log_, HasSubstr("has given this run 101 names before its first round"));
}

TEST_F(Pins, AgreedContracts) {
  options_.contract_hash = digest();
  start();
  EXPECT_FALSE(welcome("one", {"data.limit=15"}));
  EXPECT_THAT(log_, HasSubstr("refused: the study is another one: --contract-hash: found"));
  start();
  EXPECT_TRUE(welcome("one"));
  EXPECT_THAT(log_, ::testing::Not(HasSubstr("first use")));
  options_.contract_hash.clear();
  options_.contract = contract_for(options_, servers_config(text()), 2).text();
  start();
  EXPECT_TRUE(welcome("one"));
  options_.contract = contract_for(options_, servers_config(text({"run.iterations=60"})), 2).text();
  start();
  EXPECT_FALSE(welcome("one"));
  EXPECT_THAT(log_, HasSubstr("another one: --contract: run.iterations is 60 in one and 50 in the other"));
}

// A file that did not fit is put right before the client has its seat.
TEST_F(Pins, AnotherFileBeforeTheSeat) {
  EXPECT_TRUE(welcome("one"));
  write(21);
  start();
  EXPECT_TRUE(welcome("one"));
  set_up();
  write(22);
  start();
  EXPECT_THROW(welcome("one"), ConfigError);
}

// A server with the wrong state is refused, and the run goes on with the right one.
TEST_F(Pins, AWrongServerDestroysNothing) {
  const Overrides set = {"sampler.name=qlsd++", "sampler.batch=3"};
  EXPECT_TRUE(welcome("one", set));
  set_up();
  hear(wire::encode(wire::Acknowledged{0}));
  EXPECT_TRUE(round(0));
  const Bytes reply = said_.back();
  EXPECT_FALSE(welcome("wrong", set));
  start();
  EXPECT_FALSE(welcome("wrong", set));
  start();
  EXPECT_EQ(wire::decode<wire::Hello>(client_->hello()).run, "one");
  EXPECT_TRUE(welcome("one", set));
  set_up();
  EXPECT_TRUE(round(0));
  EXPECT_EQ(said_.back(), reply);
}

TEST_F(Pins, WhatIsSettledStaysSo) {
  const auto again = [&] {
    start();
    log_.clear();
    EXPECT_TRUE(welcome("one"));
  };
  again();
  set_up();
  again();
  set_up({2});
  EXPECT_THAT(log_, HasSubstr("refused: the server sent another scaling"));
  again();
  set_up({1}, 0.25);
  EXPECT_THAT(log_, HasSubstr("refused: the server sent the weight 0.25, accepted: 0.5"));
  start();
  EXPECT_TRUE(welcome("one", {}, 1));
  set_up();
  EXPECT_THAT(log_, HasSubstr("refused: the server calls this client number 2 of 2, accepted: number 1 of 2"));
  again();
  ColumnFacts facts = wire::decode<wire::Columns>(said_.back()).facts;
  facts.levels["t"].emplace_back("zzz");
  hear(wire::encode(wire::Layout{facts}));
  EXPECT_THAT(log_, HasSubstr("refused: the server sent another layout"));
  again();
  set_up();
  EXPECT_TRUE(round(0));
}

// The certificates of a study's sites are in its contract, and a site may say which it knows.
TEST_F(Pins, CertificatesOfTheStudysSites) {
  const std::string mine(64, 'a'), other(64, 'b');
  const Overrides set = {fmt::format("federation.fingerprints=[\"{}\", \"{}\"]", mine, other)};
  const auto why = [&] {
    start();
    try {
      welcome("one", set);
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(why(), HasSubstr("federation.fingerprints: found a list without this client's certificate"));
  options_.fingerprint = mine;
  options_.policy.peers = {mine};
  EXPECT_THAT(why(), HasSubstr("peers: found the certificate " + other));
  options_.policy.peers->push_back(other);
  EXPECT_EQ(why(), "");
  EXPECT_THAT(contract_for(options_, servers_config(text(set)), 2).study_text(), HasSubstr(other));
  EXPECT_THROW(welcome("two", {"federation.fingerprints=[\"" + mine + "\"]"}), ConfigError)
      << "two names, one fingerprint";
}

TEST_F(Pins, ContractsSayHowManyRowsAGradientTakes) {
  const auto contract = [&](const Overrides& set) {
    return contract_for(options_, servers_config(text(set)), 2).text();
  };
  EXPECT_THAT(contract({}), HasSubstr("\nbatch = \"all rows\"\n"));
  EXPECT_THAT(contract({"sampler.name=sgld"}), HasSubstr("\nbatch = \"0.1 of the rows\"\n"));
  EXPECT_THAT(contract({"sampler.name=sgld", "sampler.batch=12"}), HasSubstr("\nbatch = \"12 rows\"\n"));
}

TEST_F(Pins, AModelsFileIsTheSitesOwn) {
  const Overrides set = {"model.kind=torchscript", "model.file=/etc/passwd", "run.init=random"};
  try {
    welcome("one", set);
    ADD_FAILURE() << "the file was opened";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("join --model-file FILE"));
  }
  options_.model_file = options_.data;
  start();
  EXPECT_TRUE(welcome("one", set));
  EXPECT_THAT(contract_for(options_, servers_config(text(set), options_.model_file), 2).text(),
              HasSubstr(fmt::format("model_file = \"{}\"", hex(sha256(read_text(options_.data))))));
}

// The same with the site's ledger, which is not in the folder of the state.
class PinsAndLedger : public Pins {
 protected:
  PinsAndLedger() {
    options_.ledger = folder_.path() + "/ledger";
    options_.policy.runs_per_data = 1;
    options_.policy.min_row_difference = 10;
    start();
  }
  // Returns why the client does not take part in the run, or an empty text.
  std::string refusal(const std::string& run) {
    start();
    try {
      return welcome(run) ? "" : client_->ended()->why;
    } catch (const ConfigError& error) {
      return error.what();
    }
  }
  std::int64_t answers() const {
    const LedgerRun run = read_ledger(options_.ledger).runs.back();
    return run.questions + run.rounds;
  }
};

// A client with an older state would answer the same numbers with another content.
TEST_F(PinsAndLedger, AStateFromABackupIsNoticed) {
  const auto backup = folder_.path() + "/backup";
  EXPECT_TRUE(welcome("one"));
  std::filesystem::copy(options_.state, backup, std::filesystem::copy_options::recursive);
  set_up();
  EXPECT_TRUE(round(0));
  EXPECT_EQ(refusal("one"), "");
  client_.reset();
  std::filesystem::remove_all(options_.state);
  std::filesystem::rename(backup, options_.state);
  EXPECT_THAT(refusal("one"), HasSubstr("--state: found a folder that has entered answers of this run 0 times, where"));
  options_.state += "-new";
  EXPECT_THAT(refusal("one"), HasSubstr("(1 questions, 1 rounds)"));
  options_.new_run = true;
  EXPECT_EQ(refusal("one"), "");
}

TEST_F(PinsAndLedger, TwoClientsWithTheSameData) {
  EXPECT_TRUE(welcome("one"));
  ParticipantOptions twin = options_;
  twin.state += "-twin";
  Participant other(twin);
  std::vector<Bytes> said;
  const auto hear_too = [&](const Bytes& frame) {
    other.handle(frame, [&](const Bytes& out) { said.push_back(out); });
  };
  EXPECT_THROW(hear_too(wire::encode(wire::Welcome{1, 2, "two", text()})), ConfigError);
  hear_too(wire::encode(wire::Welcome{1, 2, "one", text()}));
  ASSERT_EQ(said.size(), 1U) << "nothing of the rows has left yet";
  set_up();
  EXPECT_THROW(hear_too(wire::encode(wire::Layout{wire::decode<wire::Columns>(said.back()).facts})), ConfigError);
  EXPECT_EQ(said.size(), 1U);
}

TEST_F(PinsAndLedger, AFileIsPutRightBeforeItsSumsAreSent) {
  EXPECT_TRUE(welcome("one"));
  write(21);
  EXPECT_EQ(refusal("one"), "");
  EXPECT_EQ(answers(), 0);
  set_up();
  EXPECT_GT(answers(), 0);
  write(22);
  EXPECT_THAT(refusal("one"), HasSubstr("whose rows are not those this client began the run with"));
  EXPECT_THAT(refusal("two"), HasSubstr("min_row_difference: found rows of which 1 differ"));
}

TEST_F(PinsAndLedger, QuestionsAreCountedByTheirPoints) {
  EXPECT_TRUE(welcome("one"));
  set_up();
  const std::int64_t before = answers();
  wire::Ask ask{1, static_cast<std::uint8_t>(What::value), Panel(2, 700), {}, 1, 700, 0};
  for (int i = 0; i < 2; ++i) {
    ask.at.column(0)[0] = i;
    EXPECT_EQ(hear(wire::encode(ask)), wire::Type::answer);
  }
  client_.reset();
  EXPECT_EQ(answers(), 1401);
  EXPECT_GT(before, 0);
}

TEST_F(Pins, SharedSeedsPinNothing) {
  options_.shared_seed = true;
  start();
  EXPECT_TRUE(welcome("one"));
  EXPECT_TRUE(welcome("two", {"data.limit=15"}));
  EXPECT_FALSE(welcome("two", {"data.limit=16"})) << "a contract is still a contract";
}

// A step that every client picks for itself is no fact to settle: a write for it would keep a counted reply's number
// without the memory that has moved by the reply, and a client killed then would begin again from neither.
TEST(ClientStateFile, SettlingNothingWritesNothing) {
  const testing::Folder folder;
  ClientStateFile file(folder.path());
  file.begin("a-run", "data", "contract", 7);
  const auto on_disk = [&] {
    std::string all;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
      if (entry.path().filename().string().starts_with("run-")) all += read_text(entry.path());
    return all;
  };
  const std::string before = on_disk();
  file.state().committed = 3;
  EXPECT_TRUE(file.settle(file.state().step, StepSize{}));
  EXPECT_EQ(on_disk(), before);
  EXPECT_TRUE(file.settle(file.state().step, StepSize{.size = 0.5}));
  EXPECT_NE(on_disk(), before);
  EXPECT_FALSE(file.settle(file.state().step, StepSize{.size = 0.25}));
}

}  // namespace
}  // namespace pollen
