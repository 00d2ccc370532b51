#include "stats/replicates.h"

namespace pollen::stats {

void Replicates::add(std::span<const double> mean, std::span<const double> variance) {
  draws_ += 1;
  for (std::size_t g = 0; g < mean_.size(); ++g) {
    const double from = mean[g] - mean_[g];
    mean_[g] += from / draws_;
    spread_[g] += from * (mean[g] - mean_[g]);
    variance_[g] += (variance[g] - variance_[g]) / draws_;
  }
}

double Replicates::variance(std::size_t group) const {
  return variance_[group] + (draws_ > 1 ? spread_[group] / (draws_ - 1) : 0);
}

}  // namespace pollen::stats
