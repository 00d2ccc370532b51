// The arithmetic of (ε, δ) guarantees that Theorem G.3 combines, and the search for the most rounds that a budget
// allows. No intermediate value overflows before the result does.
#pragma once

#include <functional>

#include "pollen/types.h"

namespace pollen::privacy {

double log_expm1(double x);  // ln(e^x - 1) for x > 0

// Composes `times` = n mechanisms and returns the better of the advanced rule with slack δ' and the plain rule: ε min{
// √(2n ln(1/δ')) + n(e^ε - 1), n } (Dwork, Rothblum, Vadhan 2010, Theorems 3.1 and 3.3). With δ' = 0 the advanced rule
// is never used.
double compose(double epsilon, double times, double slack);

// The ε that remains if the data take part only with probability q: ln(1 + q(e^ε - 1)) (Balle, Barthe, Gaboardi 2018).
double amplify(double epsilon, double q);

// Returns the largest n in 1..limit with fits(n), or 0 if there is none. fits(n) must imply fits(n - 1). It makes about
// 2 log2 n calls.
Index largest(Index limit, const std::function<bool(Index)>& fits);

}  // namespace pollen::privacy
