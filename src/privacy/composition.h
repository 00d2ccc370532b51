// The arithmetic of (ε, δ) guarantees that the theorem is made of. Nothing overflows before its result does.
#pragma once

namespace pollen::privacy {

double log_expm1(double x);  // ln(e^x - 1), x > 0

// times-fold composition, the better of the advanced rule with slack δ' (0: never) and the plain one:
// ε min{ √(2n ln(1/δ')) + n(e^ε - 1), n } (Dwork, Rothblum, Vadhan 2010, Theorems 3.1 and 3.3).
double compose(double epsilon, double times, double slack);

// What is left of ε when the data take part with probability q only: ln(1 + q(e^ε - 1)) (Balle, Barthe, Gaboardi 2018).
double amplify(double epsilon, double q);

}  // namespace pollen::privacy
