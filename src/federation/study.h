// What a site knows of a study before it has sent anything about its rows: the study's facts for the site's policy, and
// the data that were read for them. Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "federation/federation.h"
#include "pollen/data.h"
#include "run/problem.h"
#include "site/ledger.h"

namespace pollen {

struct SiteStudy {
  std::optional<ColumnFacts> columns;         // of the client's own file
  std::optional<StatisticalProblem> problem;  // or the problem of which the client is one part
  std::vector<std::uint64_t> rows;            // what the ledger has of each row of the file, rising
  std::string told_apart;                     // what of a row that is made of
  bool exact = true;                          // whether its answers have no noise that bounds what they tell
};

// Which of how many clients this one is, and the seed by which it holds out rows.
struct SitePlace {
  std::uint32_t index = 0;
  Index clients = 1;
  std::uint64_t seed = 0;
};

// Reads the client's data, and throws StudyRefused if the policy does not allow the study or the data cannot be used.
// With a ledger the rows are hashed by its key.
SiteStudy look_at_study(const ParticipantOptions& options, const Config& config, const SitePlace& place,
                        const Ledger* ledger = nullptr);

// Throws StudyRefused if there are findings or problems.
void raise(const Policy& policy, const std::vector<Finding>& findings, std::vector<Problem> more = {});

// The dimension is known only when all sites have named their columns. What a site decides before does not depend on
// it.
inline constexpr Index kAnyDimension = Index{1} << 30;

// Returns the contract without holding the study against the policy.
Contract contract_of(const ParticipantOptions& options, const Config& study, Index clients);

// Returns the ε that this client itself keeps to: the policy's, and where the hub is not trusted also the study's own.
// There is none if neither gives one.
std::optional<double> epsilon_limit(const Policy& policy, const Config& config);

}  // namespace pollen
