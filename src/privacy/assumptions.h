// Checks, on the inputs alone, what must hold before an accountant may give a number. The results are sentences for the
// reader of summary.json.
#pragma once

#include <string>
#include <vector>

#include "pollen/privacy.h"

namespace pollen::privacy {

// Whether participation is hidden from the adversary and only some clients take part. This is the only case in which
// client sampling adds privacy.
bool clients_hidden(const PrivacyInputs& in);

std::vector<std::string> broken_assumptions(const PrivacyInputs& in);          // assumptions of both accountants
std::vector<std::string> broken_theorem_assumptions(const PrivacyInputs& in);  // those, and the theorem's own

}  // namespace pollen::privacy
