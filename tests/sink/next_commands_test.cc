// Tests which commands are advised. tests/apps/next_commands_test.cc runs them.
#include "sink/next_commands.h"

#include <gtest/gtest.h>

namespace pollen::sink {
namespace {

using Lines = std::vector<std::string>;

Summary after(States states) {
  Summary summary;
  summary.draws = 100;
  summary.facts.states = states;
  summary.facts.predicts = true;
  return summary;
}

TEST(NextCommands, AreThoseThatWork) {
  Summary summary = after(States::draws);
  EXPECT_EQ(next_commands(summary, {.folder = "out"}),
            (Lines{"pollen summary out", "pollen report out", "pollen predict out --data FILE",
                   "pollen compare out REFERENCE"}));
  EXPECT_EQ(next_commands(summary, {.folder = "out", .draws = false, .pages = false}), Lines{"pollen summary out"});
  summary.facts.predicts = false;
  EXPECT_EQ(next_commands(summary, {.folder = "out", .pages = false}),
            (Lines{"pollen summary out", "pollen compare out REFERENCE"}));
  summary.facts.status = RunStatus::failed;
  EXPECT_EQ(next_commands(summary, {.folder = "out"}), (Lines{"pollen summary out", "pollen report out"}));
  summary.draws = 0;
  EXPECT_TRUE(next_commands(summary, {.folder = "out"}).empty());
}

TEST(NextCommands, AModelWithLatentsPredictsForAClient) {
  Summary summary = after(States::estimates);
  summary.facts.first_client = "ward 3";
  summary.last = Panel(2, 1);
  EXPECT_EQ(next_commands(summary, {.folder = "out", .draws = false}),
            (Lines{"pollen summary out", "pollen report out", "pollen predict out --client 'ward 3' --data FILE"}));
  summary.facts.federation.emplace();
  EXPECT_EQ(next_commands(summary, {.folder = "out"}).back(), "pollen predict out --new-client --data FILE");
  summary.facts.states = States::iterates;  // a personalised baseline has nothing to predict with
  EXPECT_EQ(next_commands(summary, {.folder = "out"}), (Lines{"pollen summary out", "pollen report out"}));
}

TEST(NextCommands, NetworksAreComparedByClasses) {
  Summary summary = after(States::weights);
  EXPECT_EQ(next_commands(summary, {.folder = "out"}).size(), 3u);
  summary.confidence.emplace_back();
  EXPECT_EQ(next_commands(summary, {.folder = "out"}).back(), "pollen compare out REFERENCE");
}

TEST(NextCommands, WordsAreQuotedForAShell) {
  EXPECT_EQ(shell_word("a/b-1.toml"), "a/b-1.toml");
  EXPECT_EQ(shell_word("M\xc3\xbcller"), "M\xc3\xbcller");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("-x"), "'-x'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("$(rm)"), "'$(rm)'");
}

}  // namespace
}  // namespace pollen::sink
