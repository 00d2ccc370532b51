// The lines of a ledger as text. The functions are pure.
#pragma once

#include <string>
#include <vector>

#include "site/ledger.h"

namespace pollen {

std::string empty_head();  // stands for the line before the first
std::string line_of(const std::string& head, const std::string& entry);
std::string entry_of(const LedgerRun& run);
std::string entry_of(const LedgerCounts& counts, const std::string& time);
// Takes the whole lines at the beginning of `more`, which follow those that the ledger has. Throws like parse_ledger().
void take_lines(std::string_view more, const std::string& file, LedgerText& ledger);
// Returns the run of that name over these data, or null.
LedgerRun* find_run(std::vector<LedgerRun>& runs, const std::string& name, const std::string& data);

}  // namespace pollen
