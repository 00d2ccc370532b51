// What a policy says about a run in the light of earlier ones over the same or nearly the same rows.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "site/ledger.h"

namespace pollen {

namespace {

// Returns how many rows one of the two runs has and the other has not.
std::int64_t difference(const LedgerRun& a, const LedgerRun& b) {
  std::vector<std::uint64_t> apart;
  std::ranges::set_symmetric_difference(a.rows, b.rows, std::back_inserter(apart));
  return std::ssize(apart);
}

std::string name_of(const LedgerRun& run) { return fmt::format("{} of {}", run.run, run.began); }

}  // namespace

bool takes_the_place(const LedgerRun& run, const LedgerRun& other, const Leave& leave) {
  return other.run == leave.run && other.data == leave.data && other.data != run.data && !other.answered();
}

std::vector<Finding> compare_runs(const Policy& policy, const std::vector<LedgerRun>& earlier, const LedgerRun& run,
                                  const Leave& leave) {
  std::vector<Finding> findings;
  std::vector<std::string> same;
  for (const LedgerRun& other : earlier) {
    if (other.superseded || takes_the_place(run, other, leave)) continue;
    const bool comparable = other.rows_by == run.rows_by;
    const std::int64_t apart = comparable ? difference(other, run) : 0;
    if (apart > 0 && apart < policy.min_row_difference) {
      findings.push_back({"min_row_difference",
                          fmt::format("rows of which {} differ from those of the run {}, so that the two together tell "
                                      "about {} alone",
                                      apart, name_of(other), apart == 1 ? "it" : "them"),
                          fmt::format("the same rows, or at least {} others", policy.min_row_difference)});
    } else if (other.data == run.data || (comparable && apart == 0)) {
      same.push_back(name_of(other));
    } else if (!comparable && policy.min_row_difference > 0 && !leave.new_run) {
      findings.push_back(
          {"min_row_difference",
           fmt::format("rows that cannot be compared with those of the run {}, which were told apart by "
                       "{} and not by {}",
                       name_of(other), other.rows_by, run.rows_by),
           "the same row_key, columns and key as then, or join --new-run if you know that the rows are the "
           "same or quite different"});
    }
  }
  if (std::ssize(same) >= policy.runs_per_data && !leave.new_run)
    findings.push_back({"runs_per_data", fmt::format("a further run over the rows of {}", fmt::join(same, ", ")),
                        fmt::format("{} in all, or join --new-run", policy.runs_per_data)});
  return findings;
}

}  // namespace pollen
