// Tests that clients enter their runs into their ledgers, and that a further run over the same rows is refused.
#include "site/ledger.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/federated.h"
#include "world.h"

namespace pollen {
namespace {

using testing::World;

const std::string kStudy = std::string(kSick) + "[federation]\nexpect = [\"a\", \"b\", \"c\"]\n";

class Ledgers : public ::testing::Test {
 protected:
  Ledgers() {
    for (const char* name : {"a", "b", "c"}) put(name, 30);
  }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }

  void put(const std::string& name, int rows) const {
    std::ofstream file(path(name + ".csv"));
    file << "patient,age,sick\n";
    for (int r = 0; r < rows; ++r) file << r << ',' << 40 + r * 7 % 23 << ',' << (r % 3 == 0 ? "yes" : "no") << '\n';
  }

  std::vector<ParticipantOptions> clients(const Policy& policy = open_policy()) const {
    std::vector<ParticipantOptions> all;
    for (const char* name : {"a", "b", "c"}) {
      ParticipantOptions options;
      options.name = name;
      options.data = path(fmt::format("{}.csv", name));
      options.state = path(fmt::format("state-{}", name));
      options.ledger = path(fmt::format("ledger-{}", name));
      options.shared_seed = true;
      options.policy = policy;
      all.push_back(options);
    }
    return all;
  }

  // Returns what clients said when they ended. "done" is the end of a run.
  static std::vector<std::string> ends(std::vector<ParticipantOptions> mine, const testing::Faults& faults = {}) {
    World world(testing::federated_config(kStudy, {"data.features=[\"age\"]"}), std::move(mine), faults);
    try {
      run_federation(world);
    } catch (const std::logic_error&) {  // the server waits in vain for a client that has refused
    }
    return world.ended;
  }

  testing::Folder folder_;
};

TEST_F(Ledgers, ARunIsEnteredWithWhatWasAnswered) {
  EXPECT_EQ(ends(clients()), std::vector<std::string>(3, "done"));
  const LedgerText ledger = read_ledger(path("ledger-b"));
  ASSERT_EQ(ledger.runs.size(), 1U);
  const LedgerRun& run = ledger.runs[0];
  EXPECT_EQ(run.rows.size(), 30U) << "test rows are rows that are used";
  EXPECT_EQ(run.rounds, 40);
  EXPECT_GT(run.questions, 0);
  EXPECT_TRUE(run.ended);
  EXPECT_LE(ledger.lines, 4) << "rounds need no disk";
  EXPECT_EQ(run.data.size(), 64U);
}

TEST_F(Ledgers, FaultsCountWhatMayHaveLeft) {
  EXPECT_EQ(ends(clients(), {.cut = 20, .kill_client = 20, .seed = 4}), std::vector<std::string>(3, "done"));
  for (const char* name : {"ledger-a", "ledger-b", "ledger-c"}) {
    const LedgerText ledger = read_ledger(path(name));
    ASSERT_EQ(ledger.runs.size(), 1U);
    EXPECT_GE(ledger.runs[0].rounds, 40);
    EXPECT_TRUE(ledger.runs[0].ended);
  }
}

TEST_F(Ledgers, AFurtherRunOverTheSameDataNeedsNewRun) {
  Policy once = open_policy();
  once.runs_per_data = 1;
  EXPECT_EQ(ends(clients(once)), std::vector<std::string>(3, "done"));
  auto again = clients(once);
  for (std::size_t i = 1; i < 3; ++i) again[i].new_run = true;
  const auto said = ends(again);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said[0].find("runs_per_data: found a further run over the rows of"), std::string::npos) << said[0];
  again[0].new_run = true;
  EXPECT_EQ(ends(again), std::vector<std::string>(3, "done"));
  EXPECT_EQ(read_ledger(path("ledger-a")).runs.size(), 2U);
}

// The server asks for one row more each time, or a site adds one: what it learns from the difference is one patient.
TEST_F(Ledgers, RunsThatDifferByOneRowAreRefused) {
  Policy policy = open_policy();
  policy.runs_per_data = 10;
  policy.min_row_difference = 5;
  policy.row_key = "patient";
  EXPECT_EQ(ends(clients(policy)), std::vector<std::string>(3, "done"));
  put("a", 31);
  const auto said = ends(clients(policy));
  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said[0].find("min_row_difference: found rows of which 1 differ"), std::string::npos) << said[0];
  put("a", 36);
  EXPECT_EQ(ends(clients(policy)), std::vector<std::string>(3, "done"));
}

TEST_F(Ledgers, AKeyMustBeAColumn) {
  Policy policy = open_policy();
  policy.row_key = "patients";
  const auto said = ends(clients(policy));
  ASSERT_FALSE(said.empty());
  EXPECT_NE(said[0].find("row_key: found \"patients\", accepted: patient, age, sick; did you mean \"patient\"?"),
            std::string::npos)
      << said[0];
}

}  // namespace
}  // namespace pollen
