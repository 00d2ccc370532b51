// The inverse of the standard normal distribution function, full double accuracy: Wichura (1988), algorithm AS 241.
// 0 gives -inf, 1 gives +inf, anything outside [0, 1] NaN. Pure.
#pragma once

namespace pollen::stats {

double normal_quantile(double p);

}  // namespace pollen::stats
