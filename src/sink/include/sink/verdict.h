// Decides whether the results of a run can be relied on, and says why. The verdict is made once, at the end of a run,
// and kept in summary.json, so that `pollen run`, `pollen summary`, the report and the dashboard show the same words.
// docs/diagnostics.md has its rules in a table. The functions are pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pollen/stats.h"
#include "sink/draws.h"
#include "sink/facts.h"
#include "sink/stored_summary.h"

namespace pollen::sink {

// Makes the verdict. `draws` are some or all of the draws, in which causes are looked for; it may be null.
Verdict judge(const RunFacts& facts, const std::vector<stats::ParameterSummary>& parameters, const DrawSet* draws);

// Returns what should be known of the draws whether or not they are good.
std::vector<std::string> cautions(const RunFacts& facts, const std::vector<stats::ParameterSummary>& parameters,
                                  const DrawSet* draws);

// Returns the verdict of the stored summary if `parameters` are the numbers of which it was made. Otherwise, as with
// draws of other programs, a new one is made of what is known.
Verdict verdict_of(const std::optional<StoredSummary>& stored, const std::vector<stats::ParameterSummary>& parameters,
                   const std::vector<std::string>& labels, const DrawSet* draws);

// Writes the verdict for a terminal, followed by those of the warnings that are not among its reasons.
std::string verdict_text(const Verdict& verdict, const std::vector<std::string>& warnings);
std::string to_json(const Verdict& verdict);  // {"converged": true, false or null, "words": "...", "reasons": [...]}

}  // namespace pollen::sink
