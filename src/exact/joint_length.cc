#include "joint_length.h"

#include <algorithm>

namespace pollen::exact {

void JointLength::learn(std::span<const double> jumps) {
  // The least of several running means is below all their expectations, so that a target of 0.7 leaves successive draws
  // of the slowest parameter with a correlation near 0.1.
  constexpr double kTarget = 0.7, kPace = 0.7, kLeast = 0.3, kMost = 12;
  constexpr std::size_t kShare = 10;
  count_ += 1;
  const double weight = std::max(0.05, 1 / count_);
  for (std::size_t j = 0; j < jumps_.size(); ++j) jumps_[j] += weight * (jumps[j] - jumps_[j]);
  std::vector<double> order = jumps_;
  const auto last = order.begin() + static_cast<std::ptrdiff_t>((order.size() - 1) / kShare);
  std::ranges::nth_element(order, last);
  const double rise = std::clamp(2 * (kTarget - *last), -1.0, 1.0);
  log_length_ += math::exp(-kPace * math::log(10 + count_)) * rise;
  log_length_ = std::clamp(log_length_, math::log(kLeast), math::log(kMost));
  average_ += math::exp(-0.75 * math::log(count_)) * (log_length_ - average_);
}

void JointLength::archive(Archive& archive) {
  archive.fields(log_length_, average_, count_);
  archive.array(std::span(jumps_));
}

}  // namespace pollen::exact
