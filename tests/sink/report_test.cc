#include "sink/report.h"

#include "fixtures.h"
#include "sink/text.h"

namespace pollen::sink {
namespace {

TEST(Report, StripShowsTheIntervalAndZero) {
  stats::ParameterSummary p;
  p.q5 = 2, p.q50 = 3, p.q95 = 4;
  EXPECT_EQ(interval_strip(p, -1, 5, 7), " │ ─●─ ");
  p.q5 = -1, p.q50 = 2, p.q95 = 5;
  EXPECT_EQ(interval_strip(p, -1, 5, 7), "─┼─●───");
  p.q50 = std::nan("");
  EXPECT_EQ(interval_strip(p, -1, 5, 7), " │     ");
}

TEST(Report, ShowsTheWorstOfManyParameters) {
  std::vector<stats::ParameterSummary> parameters(500);
  std::vector<std::string> labels;
  for (std::size_t j = 0; j < 500; ++j) labels.push_back(std::string("p").append(std::to_string(j)));
  parameters[432].rhat = 1.7;
  const std::string table = parameter_table(parameters, labels, 20);
  EXPECT_NE(table.find("p432"), std::string::npos);
  EXPECT_NE(table.find("and 480 more"), std::string::npos);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 22);
}

class RunReport : public FolderTest {};

TEST_F(RunReport, SaysWhatHappened) {
  write_known_spool(path("draws.spool"), {2, 2}, 100);
  RunFacts facts = known_facts({2, 2});
  facts.train_rows = 1234, facts.test_rows = 100;
  Summary summary = summarize(facts, SpoolReader(path("draws.spool")), 1);
  summary.metrics = {{"accuracy", 0.79}};
  const std::string text = run_report(summary, {.folder = "out", .files = {"draws-1.csv"}});
  for (const char* piece : {"qlsd++", "logistic", "titanic", "10 clients", "1,234 training rows", "coefficient 1",
                            "accuracy 0.79", "1 Mbit up", "2 Mbit down", "of payloads in 2,000 rounds",
                            "verdict: Not converged", "out/ draws-1.csv", "pollen summary out"})
    EXPECT_NE(text.find(piece), std::string::npos) << piece << " is not in\n" << text;
}

TEST_F(RunReport, SimulatedTimeInWords) {
  EXPECT_EQ(human_duration(0.4216), "0.42 s");
  EXPECT_EQ(human_duration(42.4), "42 s");
  EXPECT_EQ(human_duration(185), "3 min 5 s");
  EXPECT_EQ(human_duration(11520), "3 h 12 min");
  EXPECT_EQ(human_duration(1051200), "12 d 4 h");
  write_known_spool(path("draws.spool"), {2, 2}, 100);
  RunFacts facts = known_facts({2, 2});
  facts.simulated = SimulatedTime{.waiting = 0, .down = 14.9, .computing = 5, .up = 80, .server = 0.1};
  const std::string text = run_report(summarize(facts, SpoolReader(path("draws.spool")), 1), {.folder = "out"});
  EXPECT_NE(text.find("  in such a network: 1 min 40 s, of which 80 % sending up, 15 % sending down, 5 % computing\n"),
            std::string::npos)
      << text;
}

TEST_F(RunReport, AFederationSaysWhoAndWhatWasOnTheWire) {
  write_known_spool(path("draws.spool"), {2, 2}, 100);
  RunFacts facts = known_facts({2, 2});
  const SpoolReader spool(path("draws.spool"));
  EXPECT_EQ(run_report(summarize(facts, spool, 1), {.folder = "out"}).find("federation"), std::string::npos);
  facts.federation = FederationFacts{{{"north", 1200}, {"south", 34}}, 0, 3, 2, 5'000'000, 7'000'000};
  std::string text = run_report(summarize(facts, spool, 1), {.folder = "out"});
  for (const char* piece : {"federation: north (1,200 rows), south (34 rows)\n", "whole frames: 5 MB in, 7 MB out",
                            "broadcasts sent again: 3", "clients brought up to date: 2"})
    EXPECT_NE(text.find(piece), std::string::npos) << piece << " is not in\n" << text;
  EXPECT_EQ(text.find("skipped"), std::string::npos);
  facts.federation->sites.resize(30, {"more", 1});
  text = run_report(summarize(facts, spool, 1), {.folder = "out"});
  EXPECT_NE(text.find("and 22 more"), std::string::npos) << text;
}

}  // namespace
}  // namespace pollen::sink
