// Divides one δ among the three places where Theorem G.3 spends some: δ_2 = δ/3, and δ_0 and δ_1 such that their terms
// in E·R·δ̃ are δ/3 each. Values that the inputs set are kept.
#pragma once

#include "pollen/privacy.h"
#include "scheme_one.h"

namespace pollen::privacy {

struct Split {
  double depth = 0;  // ln(1.25/δ_0), because δ_0 itself may be too small for a double
  double delta_1 = 0, delta_2 = 0;
};

// ε of one local step: ε_1 = 2 Δ_l √( η ln(1.25/δ_0) / (T (1-ρ²) min_c p_c) ), where depth = ln(1.25/δ_0).
double step_epsilon(const PrivacyInputs& in, double depth);

// Splits δ where δ̃ = q (K γ δ_0 + δ_1): with q = S/N for scheme II, and with q = 1 if all clients take part or the
// adversary sees who does.
Split split_delta(const PrivacyInputs& in, double releases, double q);
// Splits δ for scheme I, whose terms depend on δ_0 and δ_1 through ε_K as well.
Split split_delta(const PrivacyInputs& in, double releases, const SchemeOne& scheme);

}  // namespace pollen::privacy
