// The discrete Fourier transform of a power-of-two length, in place: x_k ← Σ_t x_t exp(-2πi kt/M). Pure.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace pollen::stats {

std::size_t power_of_two_above(std::size_t n);  // the smallest power of two >= n

class Fft {
 public:
  explicit Fft(std::size_t size);  // size: a power of two
  std::size_t size() const { return size_; }
  void transform(std::vector<std::complex<double>>& x) const;

 private:
  std::size_t size_;
  std::vector<std::complex<double>> roots_;  // roots_[half + j] = exp(-πi j/half): each stage's in a row
};

}  // namespace pollen::stats
