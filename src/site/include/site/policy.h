// A site's policy: what a study must be like before this site answers anything that depends on its rows. The site's
// data steward writes it (docs/policy.md), and `pollen join` holds every study against it. All functions are pure,
// except that read_policy_file() reads a file.
//
//   const Policy policy = read_policy_file("policy.toml");
//   for (const Finding& finding : check(policy, facts)) ...   // empty: the study is allowed
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/name_words.h"
#include "pollen/errors.h"
#include "pollen/types.h"

namespace pollen {

// The values below are those that hold without a file.
struct Policy {
  std::string where = "the site's policy";  // names it in messages: the file's name, if there is one
  std::int64_t min_rows = 20;
  std::int64_t min_cell = 5;
  std::optional<std::int64_t> max_levels = 40;  // absent: no limit, only in open_policy()
  std::int64_t min_batch = 10;
  std::int64_t min_test_rows = 10;
  std::int64_t min_clients = 3;
  std::int64_t runs_per_data = 1;
  std::int64_t min_row_difference = 10;
  std::string row_key;  // the column that tells rows apart; empty: the whole row does
  bool trust_server = false;
  std::string secure_sums = "allowed";               // allowed | required
  std::optional<std::int64_t> max_rounds;            // absent: what the study needs
  std::optional<double> max_epsilon, max_delta;      // absent: no limit of the site's own
  std::optional<std::vector<std::string>> columns;   // absent: those that the study names
  std::optional<std::vector<std::string>> samplers;  // absent: any
  std::optional<std::vector<std::string>> peers;     // SHA-256 fingerprints of certificates; absent: any
  std::vector<std::string> plugins;                  // SHA-256 of plug-ins that may be loaded
  std::vector<std::string> deny_columns = identifying_words();
};

// The policy that allows everything. It is for tests and for what runs with --shared-seed.
Policy open_policy();

// Reads a policy from TOML. `file` appears in messages. Throws ConfigError with every problem: unknown keys, and values
// of a wrong type or range.
Policy read_policy(const std::string& text, const std::string& file);
Policy read_policy_file(const std::string& path);

// One key of the file, for documentation.
struct PolicyKey {
  std::string name, accepted, value_without_file, help;
};
std::vector<PolicyKey> policy_keys();

// What a policy is held against. What is not known of a study, or does not apply to it, is absent.
struct StudyColumn {
  std::string name;
  std::optional<Index> levels = {};  // of a text column or of labels
};
struct StudyFacts {
  std::string sampler;
  Index clients = 1;
  double rounds = 0;                          // that this site is expected to answer
  std::optional<Index> rows, test_rows;       // of this site; rows are those for training
  std::optional<Index> batch, warm_up_batch;  // rows per minibatch at this site; absent: always all rows
  std::optional<Index> min_cell;              // its data.min_cell; absent if its answers have noise
  std::vector<StudyColumn> columns = {};      // every column that is used, the target included
  std::string exact;                          // why answers are exact; empty: this site can hold them to (ε, δ)
  std::optional<double> epsilon, delta;       // that the study states
  bool secure_sums = false;
  std::optional<std::vector<std::string>> peers = {};  // fingerprints of all sites' certificates
  std::string plugin = {};                             // SHA-256 of the plug-in that the study needs; empty: none
};

// One thing about a study that a policy does not allow.
struct Finding {
  std::string key, found, accepted;
  Problem problem(const Policy& policy) const;  // one line for the site's own log
};

// Returns everything that the policy does not allow, in the order of docs/policy.md.
std::vector<Finding> check(const Policy& policy, const StudyFacts& study);

// Thrown by a client that does not take part in a study. The problems are for this site's own log; `told` is what the
// server hears, which names keys of the policy and nothing of the data.
class StudyRefused : public ConfigError {
 public:
  StudyRefused(const Policy& policy, const std::vector<Finding>& findings, std::vector<Problem> more = {});
  const std::string& told() const { return told_; }

 private:
  std::string told_;
};

}  // namespace pollen
