// Tests the counts of divergences, saturated trees and E-BFMI, and where they are shown.
#include "sink/transitions.h"

#include <nlohmann/json.hpp>

#include "fixtures.h"
#include "sink/report.h"
#include "sink/stan_csv.h"
#include "sink/stored_summary.h"

namespace pollen::sink {
namespace {

using TransitionsTest = FolderTest;

// Two chains; the second one diverges twice and reaches depth 3 once. Its energy drifts slowly.
TransitionTally tally_of_two() {
  TransitionTally tally(2, 3);
  const double energies[4] = {1, 3, 1, 3};
  for (int i = 0; i < 4; ++i)
    tally.add(std::vector<Transition>{{1, 0.1, 2, 3, false, energies[i]}, {1, 0.1, i == 2 ? 3 : 1, 3, i < 2, 0.0 + i}});
  return tally;
}

TEST_F(TransitionsTest, AreCountedPerChain) {
  const TransitionFacts facts = tally_of_two().facts();
  ASSERT_EQ(facts.chains.size(), 2u);
  EXPECT_EQ(facts.chains[0].count, 4);
  EXPECT_EQ(facts.chains[0].divergent, 0);
  EXPECT_EQ(facts.chains[0].saturated, 0);
  EXPECT_DOUBLE_EQ(facts.chains[0].ebfmi, 3.0);  // three differences of 2, four distances of 1
  EXPECT_EQ(facts.chains[1].divergent, 2);
  EXPECT_EQ(facts.chains[1].saturated, 1);
  EXPECT_DOUBLE_EQ(facts.chains[1].ebfmi, 0.6);  // 3 / (2.25 + 0.25 + 0.25 + 2.25)
}

TEST_F(TransitionsTest, GoOnAfterACheckpoint) {
  TransitionTally before = tally_of_two();
  Archive out;
  before.archive(out);
  const Bytes bytes = out.take();
  TransitionTally after(2, 3);
  Archive in{ByteView(bytes)};
  after.archive(in);
  for (TransitionTally* tally : {&before, &after})
    tally->add(std::vector<Transition>{{1, 0.1, 3, 7, true, 5}, {1, 0.1, 1, 1, false, 2}});
  EXPECT_EQ(transitions_line(before.facts()), transitions_line(after.facts()));
  EXPECT_EQ(after.facts().chains[0].divergent, 1);
}

TEST_F(TransitionsTest, AreWarnedAboutAsByStan) {
  EXPECT_TRUE(diagnose(TransitionFacts{}).empty());
  EXPECT_TRUE(diagnose(TransitionFacts{10, {{100, 0, 0, 0.9}}}).empty());
  const auto warnings = diagnose(TransitionFacts{10, {{100, 3, 7, 0.9}, {100, 0, 0, 0.2}}});
  ASSERT_EQ(warnings.size(), 3u);
  EXPECT_NE(warnings[0].find("3 of 200 transitions after burn-in diverged"), std::string::npos) << warnings[0];
  EXPECT_NE(warnings[1].find("7 of 200 trees after burn-in reached sampler.max_depth = 10"), std::string::npos);
  EXPECT_NE(warnings[2].find("E-BFMI below 0.3 for 1 of 2 chains (least 0.20)"), std::string::npos) << warnings[2];
}

TEST_F(TransitionsTest, AreInSummaryJsonAndReadBack) {
  const SpoolShape shape{2, 2};
  write_known_spool(path("draws.spool"), shape, 50);
  RunFacts facts = known_facts(shape);
  facts.sampler = "nuts";
  facts.transitions = tally_of_two().facts();
  const Summary summary = summarize(facts, SpoolReader(path("draws.spool")), 1);
  EXPECT_NE(nlohmann::json(summary.warnings).dump().find("2 of 8 transitions"), std::string::npos);
  EXPECT_NE(run_report(summary, {.folder = "out"}).find("trajectories: 2 of 8 transitions diverged"),
            std::string::npos);
  put(path("summary.json"), to_json(summary));
  const auto stored = read_stored_summary(path("summary.json"));
  ASSERT_TRUE(stored);
  EXPECT_EQ(transitions_line(stored->transitions), transitions_line(facts.transitions));
  SummaryPage page;
  page.summary.transitions = stored->transitions;
  EXPECT_NE(summary_text(page, {}).find("trajectories: 2 of 8 transitions diverged"), std::string::npos);
}

TEST_F(TransitionsTest, TheHeaderNamesTheEngine) {
  RunFacts facts = known_facts({1, 1});
  facts.sampler = "nuts";
  facts.transitions.max_depth = 7;
  EXPECT_NE(stan_csv_header(facts, 0, 5).find("engine = nuts\n#       max_depth = 7\n"), std::string::npos);
  facts.sampler = "hmc";
  EXPECT_NE(stan_csv_header(facts, 0, 5).find("algorithm = hmc\n#     engine = static\n"), std::string::npos);
  for (const char* name : {"lsd", "mala", "consensus"}) {
    facts.sampler = name;
    const std::string header = stan_csv_header(facts, 0, 5);
    EXPECT_NE(header.find(std::string("algorithm = ") + name), std::string::npos) << header;
    EXPECT_EQ(header.find("nuts"), std::string::npos) << header;
  }
}

}  // namespace
}  // namespace pollen::sink
