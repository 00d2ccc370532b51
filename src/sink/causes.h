// Finds out why chains have not mixed. More iterations are recommended, with a number, only where no other cause is
// found. docs/diagnostics.md has every rule. The functions are pure.
#pragma once

#include <string>
#include <vector>

#include "pollen/stats.h"
#include "sink/draws.h"
#include "sink/facts.h"

namespace pollen::sink {

// Whether set-up gave a warning that begins so.
bool warned_of(const RunFacts& facts, std::string_view beginning);

// The first few names of a list, with the number of the others.
std::string listed(const std::vector<std::string>& names);

struct Evidence {
  const RunFacts& facts;
  const std::vector<stats::ParameterSummary>& parameters;
  const DrawSet* draws = nullptr;  // some or all draws; may be null

  std::size_t size() const { return parameters.size(); }
  // Whether R-hat or ESS of a parameter is past its limit.
  bool poor(std::size_t j) const;
};

// Returns what to do about draws of which a parameter is past its limit, one line for each cause. If there is none, the
// line says how many more iterations would be enough, or that this cannot be told.
std::vector<std::string> remedies(const Evidence& evidence);

// Describes kept draws that begin where the chains do not belong: a burn-in that was too short. Empty if there are
// none.
std::string early_draws(const Evidence& evidence);

}  // namespace pollen::sink
