// What must hold before a number may be given, checked on the inputs alone. Sentences for the reader of summary.json.
#pragma once

#include <string>
#include <vector>

#include "pollen/privacy.h"

namespace pollen::privacy {

// Who takes part is hidden from the adversary, and not everybody does: the only case in which client sampling counts.
bool clients_hidden(const PrivacyInputs& in);

std::vector<std::string> broken_assumptions(const PrivacyInputs& in);          // of both accountants
std::vector<std::string> broken_theorem_assumptions(const PrivacyInputs& in);  // those and the theorem's own

}  // namespace pollen::privacy
