#include "sink/running_rhat.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "numbers.h"

namespace pollen::sink {

void RunningRhat::add(ConstPanelView position) {
  for (Index c = 0; c < position.columns; ++c) {
    const double* x = position.column(c).data();
    double* origin = origin_.column(c).data();
    double* sum = sum_.column(c).data();
    double* squares = squares_.column(c).data();
    if (count_ == 0) std::memcpy(origin, x, static_cast<std::size_t>(position.rows) * sizeof(double));
    for (Index j = 0; j < position.rows; ++j) {
      const double from = x[j] - origin[j];
      sum[j] += from;
      squares[j] += from * from;
    }
  }
  count_ += 1;
}

double RunningRhat::worst() const {
  const Index chains = sum_.columns();
  if (chains < 2 || count_ < 4) return kUnknown;
  double worst = kUnknown;
  const auto many = static_cast<double>(chains);
  for (Index j = 0; j < sum_.rows(); ++j) {
    const auto row = static_cast<std::size_t>(j);
    double within = 0, mean = 0, between = 0;
    const auto mean_of = [&](Index c) { return origin_.column(c)[row] + sum_.column(c)[row] / count_; };
    for (Index c = 0; c < chains; ++c) {
      const double sum = sum_.column(c)[row];
      within += (squares_.column(c)[row] - sum * sum / count_) / (count_ - 1) / many;
      mean += mean_of(c) / many;
    }
    for (Index c = 0; c < chains; ++c) between += (mean_of(c) - mean) * (mean_of(c) - mean) / (many - 1);
    const double rhat = std::sqrt((count_ - 1) / count_ + between / within);
    if (std::isfinite(rhat) && !(rhat <= worst)) worst = rhat;
  }
  return worst;
}

}  // namespace pollen::sink
