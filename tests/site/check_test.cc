// Tests what a policy finds in a study: each limit from both sides, and all findings at once.
#include <gtest/gtest.h>

#include "site/policy.h"

namespace pollen {
namespace {

// A study that the default policy allows.
StudyFacts allowed() {
  StudyFacts study;
  study.sampler = "fa-ld";
  study.clients = 3;
  study.rounds = 1000;
  study.rows = 20;
  study.test_rows = 10;
  study.batch = study.warm_up_batch = 10;
  study.columns = {{"age"}, {"ward", 6}, {"sick", 2}};
  return study;
}

// Returns the keys of the findings.
std::vector<std::string> keys(const Policy& policy, const StudyFacts& study) {
  std::vector<std::string> all;
  for (const Finding& finding : check(policy, study)) all.push_back(finding.key);
  return all;
}

using Change = void (*)(Policy&, StudyFacts&);
struct Limit {
  const char* key;
  Change within, beyond;
};

TEST(PolicyCheck, EveryLimitHoldsFromItsEdge) {
  const Limit limits[] = {
      {"trust_server", [](Policy& p, StudyFacts& s) { s.exact = "no noise", p.trust_server = true; },
       [](Policy&, StudyFacts& s) { s.exact = "no noise"; }},
      {"min_clients", [](Policy&, StudyFacts& s) { s.clients = 3; }, [](Policy&, StudyFacts& s) { s.clients = 2; }},
      {"min_rows", [](Policy&, StudyFacts& s) { s.rows = 20; }, [](Policy&, StudyFacts& s) { s.rows = 19; }},
      {"min_test_rows", [](Policy&, StudyFacts& s) { s.test_rows = 0; },
       [](Policy&, StudyFacts& s) { s.test_rows = 9; }},
      {"min_batch", [](Policy&, StudyFacts& s) { s.batch.reset(); }, [](Policy&, StudyFacts& s) { s.batch = 9; }},
      {"min_batch", [](Policy&, StudyFacts& s) { s.warm_up_batch = 10; },
       [](Policy&, StudyFacts& s) { s.warm_up_batch = 1; }},
      {"max_levels", [](Policy&, StudyFacts& s) { s.rows = 120, s.columns[1].levels = 40; },
       [](Policy&, StudyFacts& s) { s.rows = 1000, s.columns[1].levels = 41; }},
      {"max_levels", [](Policy&, StudyFacts& s) { s.rows = 21, s.columns[1].levels = 7; },
       [](Policy&, StudyFacts& s) { s.rows = 20, s.columns[1].levels = 7; }},
      {"samplers", [](Policy& p, StudyFacts&) { p.samplers = {{"fa-ld"}}; },
       [](Policy& p, StudyFacts&) { p.samplers = {{"lsd"}}; }},
      {"max_rounds", [](Policy& p, StudyFacts&) { p.max_rounds = 1000; },
       [](Policy& p, StudyFacts&) { p.max_rounds = 999; }},
      {"max_epsilon", [](Policy& p, StudyFacts& s) { p.max_epsilon = 2, s.epsilon = 2; },
       [](Policy& p, StudyFacts& s) { p.max_epsilon = 2, s.epsilon = 2.1; }},
      {"max_delta", [](Policy& p, StudyFacts& s) { p.max_delta = 1e-5, s.delta = 1e-5; },
       [](Policy& p, StudyFacts& s) { p.max_delta = 1e-5, s.delta = 1e-4; }},
      {"columns",
       [](Policy& p, StudyFacts&) {
         p.columns = {{"age", "ward", "sick", "more"}};
       },
       [](Policy& p, StudyFacts&) {
         p.columns = {{"age", "sick"}};
       }},
      {"deny_columns", [](Policy&, StudyFacts& s) { s.columns[0].name = "lipid"; },
       [](Policy&, StudyFacts& s) { s.columns[0].name = "admission_date"; }},
      {"secure_sums", [](Policy& p, StudyFacts& s) { p.secure_sums = "required", s.secure_sums = true; },
       [](Policy& p, StudyFacts&) { p.secure_sums = "required"; }},
      {"peers",
       [](Policy& p, StudyFacts& s) {
         p.peers = {{"a", "b"}}, s.peers = {{"b"}};
       },
       [](Policy& p, StudyFacts& s) {
         p.peers = {{"a", "b"}}, s.peers = {{"c"}};
       }},
      {"peers", [](Policy& p, StudyFacts& s) { p.peers = {{"a"}}, s.peers = {{"a"}}; },
       [](Policy& p, StudyFacts&) { p.peers = {{"a"}}; }},
      {"plugins", [](Policy& p, StudyFacts& s) { p.plugins = {"x"}, s.plugin = "x"; },
       [](Policy&, StudyFacts& s) { s.plugin = "x"; }},
  };
  for (const Limit& limit : limits) {
    Policy inside, outside;
    StudyFacts good = allowed(), bad = allowed();
    limit.within(inside, good);
    EXPECT_EQ(keys(inside, good), std::vector<std::string>()) << limit.key;
    limit.beyond(outside, bad);
    EXPECT_EQ(keys(outside, bad), std::vector<std::string>{limit.key});
  }
}

TEST(PolicyCheck, AllFindingsAreToldAtOnceAndTheServerHearsNoNumbers) {
  Policy policy;
  policy.where = "p.toml";
  StudyFacts study = allowed();
  study.rows = 3;
  study.columns = {{"patient_id"}, {"sick", 2}, {"zip"}};
  const StudyRefused refused(policy, check(policy, study));
  EXPECT_STREQ(refused.what(),
               "p.toml: min_rows: found 3 training rows, accepted: at least 20\n"
               "p.toml: deny_columns: found the column \"patient_id\", whose name has the word id, accepted: columns "
               "without it (data.features names those that a study uses)\n"
               "p.toml: deny_columns: found the column \"zip\", whose name has the word zip, accepted: columns without "
               "it (data.features names those that a study uses)");
  EXPECT_EQ(refused.told(), "its policy does not allow this study (min_rows, deny_columns); its own log says why");
}

TEST(PolicyCheck, TheWordIsAskedForInTwoSentences) {
  StudyFacts study = allowed();
  study.exact = "it has no section [privacy]";
  EXPECT_EQ(check(Policy(), study).front().problem(Policy()).what,
            "found a study whose answers are exact, because it has no section [privacy], and from exact answers a hub "
            "that wants to can reconstruct rows of this site whatever the other limits are. Accepted: a study with "
            "[privacy], or your word that the hub does not do so, which is join --trust-server or trust_server = true");
}

TEST(PolicyCheck, AnOpenPolicyAllowsEverything) {
  StudyFacts study;
  study.exact = "no noise";
  study.rows = study.test_rows = study.batch = 1;
  study.columns = {{"id", 1000}};
  EXPECT_EQ(keys(open_policy(), study), std::vector<std::string>());
}

}  // namespace
}  // namespace pollen
