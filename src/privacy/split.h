// One δ over the three places where the theorem loses some: δ_2 = δ/3, and δ_0, δ_1 such that their terms in E·R·δ̃ are
// δ/3 each. What the inputs set is kept.
#pragma once

#include "pollen/privacy.h"
#include "scheme_one.h"

namespace pollen::privacy {

struct Split {
  double depth = 0;  // ln(1.25/δ_0): δ_0 itself may be too small for a double
  double delta_1 = 0, delta_2 = 0;
};

// ε_1 = 2 Δ_l √( η ln(1.25/δ_0) / (T (1-ρ²) min_c p_c) )
double step_epsilon(const PrivacyInputs& in, double depth);

// δ̃ = q (K γ δ_0 + δ_1): everybody, scheme II (q = S/N), or an adversary who sees who takes part (q = 1).
Split split_delta(const PrivacyInputs& in, double releases, double q);
// Scheme I, whose terms depend on δ_0 and δ_1 through ε_K as well.
Split split_delta(const PrivacyInputs& in, double releases, const SchemeOne& scheme);

}  // namespace pollen::privacy
