// Series that any language can reproduce bit for bit: Lehmer's generator and a first-order autoregression on it.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace pollen::stats {

class Lehmer {
 public:
  explicit Lehmer(std::uint64_t seed) : state_(seed) {}
  double uniform() {
    state_ = 16807 * state_ % 2147483647;
    return static_cast<double>(state_) / 2147483647.0;
  }

 private:
  std::uint64_t state_;
};

// Returns y ← phi y + (u - 0.5), from 0 in each chain; chain-major.
inline std::vector<double> autoregression(double phi, std::size_t chains, std::size_t length, std::uint64_t seed) {
  Lehmer generator(seed);
  std::vector<double> result;
  for (std::size_t c = 0; c < chains; ++c) {
    double y = 0;
    for (std::size_t t = 0; t < length; ++t) result.push_back(y = phi * y + (generator.uniform() - 0.5));
  }
  return result;
}

}  // namespace pollen::stats
