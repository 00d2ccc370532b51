// Tests the ledger: what is entered is found again, every changed line is found, what was acknowledged survives a kill,
// and the rules about earlier runs.
#include "site/ledger.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "base/sha256.h"

namespace pollen {
namespace {

namespace fs = std::filesystem;

class LedgerTest : public ::testing::Test {
 protected:
  LedgerTest() {
    std::string name = (fs::temp_directory_path() / "pollen-ledger-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~LedgerTest() override { fs::remove_all(folder_); }

  std::string folder() const { return folder_ + "/ledger"; }
  std::string file() const { return folder() + "/ledger"; }
  static LedgerRun run(const std::string& name, const std::string& data, std::vector<std::uint64_t> rows) {
    return {.run = name, .contract = "c", .data = data, .rows_by = "whole rows (1)", .rows = std::move(rows)};
  }
  static std::vector<std::uint64_t> rows(std::uint64_t from, std::uint64_t to) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t row = from; row < to; ++row) all.push_back(row);
    return all;
  }
  static std::vector<std::string> keys(const std::vector<Finding>& findings) {
    std::vector<std::string> all;
    for (const Finding& finding : findings) all.push_back(finding.key);
    return all;
  }
  // Returns what is said about the ledger's text.
  std::string complaint(const std::string& text) const {
    try {
      parse_ledger(text, "L");
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "nothing";
  }

  std::string folder_;
};

using Keys = std::vector<std::string>;

TEST_F(LedgerTest, WhatIsEnteredIsFoundAgain) {
  std::uint64_t row = 0;
  {
    Ledger ledger(folder());
    row = ledger.row("a row");
    EXPECT_EQ(keys(ledger.begin(Policy(), run("one", "d1", rows(0, 50)), {})), Keys());
    ledger.count({"one", 3, 1000, 0.5, false, "d1"});
    ledger.count({"one", 3, 720, 0.4, true, "d1"});
  }
  Ledger again(folder());
  ASSERT_EQ(again.text().runs.size(), 1U);
  const LedgerRun& found = again.text().runs[0];
  EXPECT_EQ(found.rows, rows(0, 50));
  EXPECT_EQ(found.questions, 3);
  EXPECT_EQ(found.rounds, 720);
  EXPECT_EQ(found.epsilon, 0.4);
  EXPECT_TRUE(found.ended);
  EXPECT_EQ(again.text().lines, 3);
  EXPECT_EQ(again.row("a row"), row) << "the key is kept";
  EXPECT_NE(again.row("another row"), row);
  EXPECT_EQ(read_ledger(folder()).head, again.text().head);
  for (const char* name : {"/ledger", "/key"}) {
    struct stat facts = {};
    ASSERT_EQ(::stat((folder() + name).c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777U, 0600U) << name;
  }
}

TEST_F(LedgerTest, AnotherSitesKeyTellsOtherRows) {
  const Ledger here(folder()), there(folder_ + "/other");
  EXPECT_NE(here.row("a"), there.row("a"));
  EXPECT_NE(here.rows_by("whole rows of a, b"), there.rows_by("whole rows of a, b"));
  EXPECT_NE(here.rows_by("whole rows of a, b"), here.rows_by("whole rows of a, c"));
}

TEST_F(LedgerTest, ARunThatGoesOnIsNotASecondOne) {
  Ledger ledger(folder());
  EXPECT_EQ(keys(ledger.begin(Policy(), run("one", "d", rows(0, 50)), {})), Keys());
  EXPECT_EQ(keys(ledger.begin(Policy(), run("one", "d", rows(0, 50)), {})), Keys());
  EXPECT_EQ(ledger.text().lines, 1);
  EXPECT_EQ(keys(ledger.begin(Policy(), run("one", "d", rows(0, 90)), {})), Keys{"runs_per_data"})
      << "the same name and file for another run";
  EXPECT_EQ(keys(ledger.begin(Policy(), run("one", "e", rows(50, 90)), {})), Keys())
      << "another client of the same run, with a file of its own";
}

TEST_F(LedgerTest, RunsOverTheSameRowsAreCounted) {
  Ledger ledger(folder());
  EXPECT_EQ(keys(ledger.begin(Policy(), run("one", "d", rows(0, 50)), {})), Keys());
  ledger.count({"one", 0, 1, {}, false, "d"});
  EXPECT_EQ(keys(ledger.begin(Policy(), run("two", "d", rows(0, 50)), {})), Keys{"runs_per_data"});
  EXPECT_EQ(keys(ledger.begin(Policy(), run("two", "same rows, another file", rows(0, 50)), {})),
            Keys{"runs_per_data"});
  EXPECT_EQ(ledger.text().lines, 2) << "what is refused is not entered";
  Policy twice;
  twice.runs_per_data = 2;
  EXPECT_EQ(keys(ledger.begin(twice, run("two", "d", rows(0, 50)), {})), Keys());
  ledger.count({"two", 0, 1, {}, false, "d"});
  EXPECT_EQ(keys(ledger.begin(twice, run("three", "d", rows(0, 50)), {})), Keys{"runs_per_data"});
  EXPECT_EQ(keys(ledger.begin(twice, run("three", "d", rows(0, 50)), {.new_run = true})), Keys()) << "--new-run";
}

// A client whose server calls the study by another name before its first round enters it under the first name.
TEST_F(LedgerTest, AnotherNameIsAnotherRun) {
  Ledger ledger(folder());
  EXPECT_EQ(keys(ledger.begin(Policy(), run("one", "d", rows(0, 50)), {})), Keys());
  ledger.count({"one", 30, 0, {}, false, "d"});
  EXPECT_EQ(keys(ledger.begin(Policy(), run("one", "d", rows(0, 50)), {})), Keys());
  EXPECT_EQ(keys(ledger.begin(Policy(), run("two", "d", rows(0, 50)), {})), Keys{"runs_per_data"})
      << "a client that knows nothing of the first";
}

// A file may be put right as long as nothing about its rows has left the site.
TEST_F(LedgerTest, AFileIsPutRightBeforeItIsUsed) {
  Ledger ledger(folder());
  EXPECT_EQ(keys(ledger.begin(Policy(), run("one", "d", rows(0, 50)), {})), Keys());
  EXPECT_EQ(keys(ledger.begin(Policy(), run("one", "e", rows(0, 51)), {})), Keys{"min_row_difference"});
  EXPECT_EQ(keys(ledger.begin(Policy(), run("one", "e", rows(0, 51)), {.run = "one", .data = "d"})), Keys());
  EXPECT_TRUE(ledger.text().runs[0].superseded);
  ledger.count({"one", 1, 0, {}, false, "e"});
  for (const char* name : {"one", "two"})
    EXPECT_EQ(keys(ledger.begin(Policy(), run(name, "f", rows(0, 52)), {.run = "one", .data = "e"})),
              Keys{"min_row_difference"});
  EXPECT_EQ(read_ledger(folder()).head, ledger.text().head);
}

// Whoever enters answers says how often it has done so, so that another client of the same run is noticed.
TEST_F(LedgerTest, TwoClientsOfOneRun) {
  Ledger ledger(folder()), other(folder());
  EXPECT_EQ(keys(ledger.begin(Policy(), run("one", "d", rows(0, 50)), {})), Keys());
  EXPECT_EQ(keys(other.begin(Policy(), run("one", "d", rows(0, 50)), {})), Keys());
  ledger.count({"one", 1, 0, {}, false, "d"}, 0);
  EXPECT_THROW(other.count({"one", 1, 0, {}, false, "d"}, 0), ConfigError);
  ledger.count({"one", 2, 0, {}, false, "d"}, 1);
  EXPECT_EQ(ledger.entries("one", "d"), 2);
}

// Two runs whose rows differ by one tell about this one.
TEST_F(LedgerTest, RunsOverNearlyTheSameRowsAreRefused) {
  Ledger ledger(folder());
  EXPECT_EQ(keys(ledger.begin(Policy(), run("one", "d", rows(0, 50)), {})), Keys());
  for (const bool new_run : {false, true}) {
    EXPECT_EQ(keys(ledger.begin(Policy(), run("more", "e", rows(0, 51)), {.new_run = new_run})),
              Keys{"min_row_difference"});
    EXPECT_EQ(keys(ledger.begin(Policy(), run("moved", "e", rows(4, 54)), {.new_run = new_run})),
              Keys{"min_row_difference"});
  }
  EXPECT_EQ(keys(ledger.begin(Policy(), run("moved", "e", rows(5, 55)), {})), Keys());
}

// A study may use some rows of a file only (data.limit), so that the file's digest says nothing about rows.
TEST_F(LedgerTest, NearlyTheSameRowsOfOneFileAreRefused) {
  Ledger ledger(folder());
  Policy often;
  often.runs_per_data = 10;
  EXPECT_EQ(keys(ledger.begin(often, run("one", "d", rows(0, 50)), {})), Keys());
  for (const bool new_run : {false, true})
    EXPECT_EQ(keys(ledger.begin(often, run("two", "d", rows(0, 49)), {.new_run = new_run})),
              Keys{"min_row_difference"});
  EXPECT_EQ(keys(ledger.begin(often, run("two", "d", rows(0, 40)), {})), Keys());
}

TEST_F(LedgerTest, RowsThatCannotBeComparedNeedNewRun) {
  Ledger ledger(folder());
  EXPECT_EQ(keys(ledger.begin(Policy(), run("one", "d", rows(0, 50)), {})), Keys());
  LedgerRun other = run("two", "e", rows(200, 250));
  other.rows_by = "the column \"patient\" (2)";
  EXPECT_EQ(keys(ledger.begin(Policy(), other, {})), Keys{"min_row_difference"});
  EXPECT_EQ(keys(ledger.begin(Policy(), other, {.new_run = true})), Keys());
}

TEST_F(LedgerTest, EveryChangeOfALineIsFound) {
  {
    Ledger ledger(folder());
    ledger.begin(Policy(), run("one", "d", rows(0, 3)), {});
    ledger.count({"one", 0, 1000, {}, false, "d"});
    ledger.count({"one", 0, 7, {}, true, "d"});
  }
  const std::string text = read_text(file());
  EXPECT_EQ(complaint(text), "nothing");
  std::int64_t line = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = text[i] == 'a' ? 'b' : 'a';
    const bool last = i + 1 == text.size();  // without its end the last line was never finished
    EXPECT_EQ(complaint(changed).starts_with(last ? "nothing" : "L: line " + std::to_string(line)), true)
        << i << ": " << complaint(changed);
    line += text[i] == '\n' ? 1 : 0;
  }
  const std::size_t second = text.find('\n') + 1, third = text.find('\n', second) + 1;
  EXPECT_EQ(complaint(text.substr(second)).substr(0, 9), "L: line 1");
  EXPECT_EQ(complaint(text.substr(0, second) + text.substr(third)).substr(0, 9), "L: line 2");
  EXPECT_EQ(complaint(text + text.substr(third)).substr(0, 9), "L: line 4");
  EXPECT_NE(parse_ledger(text.substr(0, third), "L").head, parse_ledger(text, "L").head) << "only the head shows a cut";
}

// Somebody who can compute hashes is stopped by what an entry must be.
TEST_F(LedgerTest, EntriesMustBeEntries) {
  const auto with = [&](const std::string& entry) {
    const std::string head = parse_ledger("", "L").head;
    return complaint(hex(sha256(head + entry)) + " " + entry + "\n");
  };
  for (const char* entry :
       {"", "x", "[]", "{}", "null", "{\"entry\":\"run\"}", "{\"entry\":\"counts\",\"run\":\"none\"}",
        "{\"entry\":\"run\",\"run\":\"a\",\"time\":\"t\",\"contract\":\"c\",\"data\":\"d\",\"rows_by\":"
        "\"w\",\"rows\":\"0000000000000002"
        "0000000000000001\"}"})
    EXPECT_EQ(with(entry).substr(0, 9), "L: line 1") << entry;
}

TEST_F(LedgerTest, ALineThatWasNotFinishedIsTakenAway) {
  std::string head;
  {
    Ledger ledger(folder());
    ledger.begin(Policy(), run("one", "d", rows(0, 30)), {});
    head = ledger.text().head;
  }
  const std::string whole = read_text(file());
  for (const std::string& torn : {std::string("0"), whole.substr(0, whole.size() - 1), std::string(100, '\0')}) {
    std::ofstream(file(), std::ios::app | std::ios::binary) << torn;
    EXPECT_EQ(read_ledger(folder()).head, head);
    Ledger again(folder());
    EXPECT_EQ(again.text().head, head);
    EXPECT_EQ(read_text(file()), whole);
  }
  Ledger again(folder());
  again.count({"one", 1, 1, {}, false, "d"});
  EXPECT_EQ(read_ledger(folder()).lines, 2);
}

// A child enters counts and says each that was entered. It is killed at any moment, and nothing that it said is lost.
TEST_F(LedgerTest, WhatWasAcknowledgedSurvivesAKill) {
  Ledger(folder()).begin(Policy(), run("one", "d", rows(0, 200)), {});
  std::int64_t before = 1;
  for (int kill = 0; kill < 20; ++kill) {
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      Ledger ledger(folder());
      for (;;) {
        ledger.count({"one", 0, ledger.text().lines, {}, false, "d"});
        const std::int64_t lines = ledger.text().lines;
        if (::write(pipe[1], &lines, sizeof lines) != sizeof lines) ::_exit(1);
      }
    }
    ::close(pipe[1]);
    std::int64_t said = 0;
    for (int i = 0; i <= kill % 5; ++i)
      ASSERT_EQ(::read(pipe[0], &said, sizeof said), static_cast<ssize_t>(sizeof said));
    ::kill(child, SIGKILL);
    while (::read(pipe[0], &before, sizeof before) == static_cast<ssize_t>(sizeof before)) said = before;
    ::close(pipe[0]);
    ::waitpid(child, nullptr, 0);
    const LedgerText text = read_ledger(folder());
    EXPECT_GE(text.lines, said);
    EXPECT_LE(text.lines, said + 1);
    EXPECT_EQ(text.runs[0].rounds, text.lines - 1);
  }
}

TEST_F(LedgerTest, SeveralProcessesUseOne) {
  Ledger first(folder()), second(folder());
  first.begin(Policy(), run("one", "d", rows(0, 50)), {});
  first.count({"one", 1, 1, {}, false, "d"});
  EXPECT_EQ(keys(second.begin(Policy(), run("two", "d", rows(0, 50)), {})), Keys{"runs_per_data"});
  second.begin(Policy(), run("three", "e", rows(100, 150)), {});
  first.count({"one", 1, 2, {}, false, "d"});
  EXPECT_EQ(read_ledger(folder()).lines, 4);
}

TEST_F(LedgerTest, AFileThatOthersMayReadIsRefused) {
  Ledger(folder()).begin(Policy(), run("one", "d", {}), {});
  for (const char* name : {"/ledger", "/key"}) {
    fs::permissions(folder() + name, fs::perms(0644));
    EXPECT_THROW(Ledger{folder()}, ConfigError) << name;
    fs::permissions(folder() + name, fs::perms(0600));
  }
  std::ofstream(folder() + "/key") << "short\n";
  EXPECT_THROW(Ledger{folder()}, ConfigError);
}

TEST(LedgerFolder, IsWhereStateBelongs) {
  const std::string home = ::getenv("HOME") == nullptr ? "" : ::getenv("HOME");
  ::setenv("HOME", "/home/x", 1);
  ::unsetenv("XDG_STATE_HOME");
  EXPECT_EQ(default_ledger_folder(), "/home/x/.local/state/pollen/ledger");
  ::setenv("XDG_STATE_HOME", "/var/s", 1);
  EXPECT_EQ(default_ledger_folder(), "/var/s/pollen/ledger");
  ::setenv("XDG_STATE_HOME", "relative", 1);
  EXPECT_EQ(default_ledger_folder(), "/home/x/.local/state/pollen/ledger");
  ::unsetenv("XDG_STATE_HOME");
  ::unsetenv("HOME");
  EXPECT_THROW(default_ledger_folder(), ConfigError);
  ::setenv("HOME", home.c_str(), 1);
}

}  // namespace
}  // namespace pollen
