// The constants of FALD's assumptions A1 to A7 for a problem, and its discretisation error.
#pragma once

#include "pollen/plan.h"

namespace pollen::plan {

// U^i is the part of the potential that client i owns, and Ū = U/b. The proofs use strong convexity of Ū only, so m is
// that of U divided by b.
struct FaldConstants {
  double b = 1, d = 1;
  double m = 0;            // strong convexity of Ū
  double l = 0;            // max_i L_i
  double spread = 0;       // ω of A7: max_i A_i M̄_i L_i
  double oracle = 0;       // L̂² of A4: max_i L_i² + A_i M̄_i L_i
  double mean_spread = 0;  // ω̃ of A6: Σ A_i M̄_i L_i / b²
  double at_mode = 0;      // V*, the variance of the mean gradient at the mode
  double at_pi = 0;        // V_π ≤ 2V* + 2ω̃ E_π‖x-x*‖²
  double apart = 0;        // H = Σ‖∇U^i(x*)‖²/b
  double hessian = -1;     // L̃; negative if unknown
};
FaldConstants fald_constants(const Constants& constants);

// The discretisation error of one step, (2/γm) E‖E I_k‖² + 3 E‖I_k‖² (FALD, Lemma 7).
double fald_discretisation(const FaldConstants& f, double step);

// The largest step with (1-p)γ²(A + (1+2/p)Ā) ≤ p/4. The proof of FALD's Lemma 10 needs this condition, which is a
// factor √2 below the one it states.
double fald_drift_limit(const FaldConstants& f, double communicate);

}  // namespace pollen::plan
