// The inverse of the standard normal distribution function in full double precision: Wichura (1988), algorithm AS 241.
// It returns -inf at 0, +inf at 1 and NaN outside [0, 1]. The function is pure.
#pragma once

namespace pollen::stats {

double normal_quantile(double p);

}  // namespace pollen::stats
