// A site's policy, ledger and word as the people at a site meet them: with the files of examples/federation.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "federation.h"
#include "support/source_dir.h"

namespace pollen {
namespace {

class SitePolicy : public FederationTest {
 protected:
  SitePolicy() {
    put("study.toml", text_of("study.toml"));
    put("policy.toml", text_of("policy.toml"));
  }
  static std::string text_of(const std::string& example) {
    std::ifstream file(source_dir() + "/examples/federation/" + example);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Child serve_study(const Words& more = {}) const {
    std::filesystem::remove(path("server.err"));
    Words words = {"serve", "study.toml", "--listen", "127.0.0.1:0", "--insecure", "--out", "study"};
    words.insert(words.end(), more.begin(), more.end());
    Child server = start(words, "server");
    EXPECT_TRUE(await(kPatience, [&] { return port_of(server) > 0 || !server.running(); })) << server.err();
    return server;
  }
  Words site(const std::string& name, int port, const Words& more) const {
    Words words = {"join",          "--server",    fmt::format("127.0.0.1:{}", port),
                   "--insecure",    "--name",      name,
                   "--data",        name + ".csv", "--state",
                   "state-" + name, "--ledger",    "ledger-" + name};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  void patients(const std::string& name, int seed, int count) {
    const Outcome made = run_program(source_dir() + "/examples/federation/patients",
                                     {std::to_string(seed), std::to_string(count), "60"});
    ASSERT_EQ(made.code, 0) << made.err;
    put(name + ".csv", made.out);
  }
};

// The file as it comes out of the hospital's system, joined at the end of a long day.
TEST_F(SitePolicy, NothingOfATiredOperatorsFileReachesTheHub) {
  std::string csv = "patientId,admission_date,notes,Postcode,lipid,age,recovered\n";
  for (int i = 0; i < 60; ++i)
    csv += fmt::format("77{:03},2026-03-{:02},\"came with pain, day {}\",{},{},{},{}\n", i, 1 + i % 28, i,
                       10115 + i % 7, 100 + i * 3 % 40, 40 + i % 30, i % 3 == 0 ? "yes" : "no");
  put("hospital-a.csv", csv);
  Child server = serve_study();
  const Words join = site("hospital-a", port_of(server), {"--trust-server"});
  Words dry = join;
  dry.emplace_back("--dry-run");
  for (const Words& words : {dry, join}) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    for (const char* line : {"deny_columns: found the column \"patientId\", whose name has the word id",
                             "deny_columns: found the column \"admission_date\", whose name has the word date",
                             "deny_columns: found the column \"Postcode\", whose name has the word postcode",
                             "column notes: found 60 levels in 60 rows", "the keys of [data] belong to the study"})
      expect_has(outcome.err, line);
    if (words.back() == "--dry-run") expect_has(outcome.out, "admission_date");  // the table of the file's columns
    EXPECT_EQ(outcome.err.find("lipid"), std::string::npos) << outcome.err;
    EXPECT_FALSE(exists("ledger-hospital-a/ledger")) << "a run that is refused is not entered";
  }
  EXPECT_TRUE(await(kPatience, [&] { return server.err().find("does not allow this study") != std::string::npos; }));
  expect_has(server.err(), "does not allow this study (deny_columns)");
  for (const char* secret : {"patientId", "77003", "admission", "2026-03", "notes", "came with", "ostcode", "10115"})
    EXPECT_EQ(server.err().find(secret), std::string::npos) << secret << " is in\n" << server.err();
}

TEST_F(SitePolicy, WithoutTheWordJoinRefusesInTwoSentences) {
  patients("hospital-a", 1, 80);
  Child server = serve_study();
  const Outcome outcome = run(site("hospital-a", port_of(server), {}));
  EXPECT_EQ(outcome.code, 2);
  expect_has(
      outcome.err,
      "the site's policy: trust_server: found a study whose answers are exact, because it has no section "
      "[privacy], and from exact answers a hub that wants to can reconstruct rows of this site whatever the other "
      "limits are. Accepted: a study with [privacy], or your word that the hub does not do so, which is join "
      "--trust-server or trust_server = true");
}

// The example's policy and study go together, the ledger has the run, and a second one over the same data is refused.
TEST_F(SitePolicy, TheExamplesPolicyAndTheLedger) {
  const Words quick = {"--set", "run.iterations=30", "--set", "run.burn_in=0", "--set", "run.thin=1"};
  for (int i = 0; i < 3; ++i) patients(fmt::format("hospital-{}", "abc"[i]), i + 1, 90 + 20 * i);
  for (const bool again : {false, true}) {
    Child server = serve_study(quick);
    std::vector<Child> sites;
    for (const char* name : {"hospital-a", "hospital-b", "hospital-c"})
      sites.push_back(start(site(name, port_of(server), {"--policy", "policy.toml"}), name));
    for (Child& each : sites) EXPECT_EQ(each.wait(kPatience), again ? 2 : 0) << each.err();
    if (again)
      for (Child& each : sites)
        expect_has(each.err(), "policy.toml: runs_per_data: found a further run over the rows of");
    else
      EXPECT_EQ(server.wait(kPatience), 0) << server.err();
  }
  const Outcome shown = run({"ledger", "--ledger", "ledger-hospital-b", "--json"});
  ASSERT_EQ(shown.code, 0) << shown.err;
  const auto ledger = nlohmann::json::parse(shown.out);
  ASSERT_EQ(ledger["runs"].size(), 1U);
  EXPECT_EQ(ledger["runs"][0]["rows"], 110);
  EXPECT_EQ(ledger["runs"][0]["rounds"], 30);
  EXPECT_EQ(ledger["runs"][0]["ended"], true);
  const Outcome table = run({"ledger", "--ledger", "ledger-hospital-b"});
  expect_has(table.out, "head " + ledger["head"].get<std::string>());

  std::string text = slurp("ledger-hospital-b/ledger");
  text[text.find("\"questions\":") + 12] = '9';
  put("ledger-hospital-b/ledger", text);
  const Outcome changed = run({"ledger", "--ledger", "ledger-hospital-b"});
  EXPECT_EQ(changed.code, 2);
  expect_has(changed.err, "ledger-hospital-b/ledger: line 2: found a hash that does not follow");
  EXPECT_EQ(run({"ledger", "--ledger", "nowhere"}).code, 0);
}

TEST_F(SitePolicy, ALedgerInTheStateIsRefused) {
  patients("hospital-a", 1, 30);
  Words words = site("hospital-a", 9, {"--give-up", "1"});
  words[std::size_t(std::find(words.begin(), words.end(), "--ledger") - words.begin()) + 1] = "state-hospital-a/ledger";
  const Outcome outcome = run(words);
  EXPECT_EQ(outcome.code, 2);
  expect_has(outcome.err, "--ledger: found \"state-hospital-a/ledger\", which is in the folder of --state");
}

}  // namespace
}  // namespace pollen
