// The discrete Fourier transform of a power-of-two length, in place: x_k ← Σ_t x_t exp(-2πi kt/M). An Fft is immutable,
// so threads may share it.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace pollen::stats {

class Fft {
 public:
  explicit Fft(std::size_t size);  // `size` must be a power of two
  std::size_t size() const { return size_; }
  void transform(std::vector<std::complex<double>>& x) const;

 private:
  std::size_t size_;
  // roots_[half + j] = exp(-πi j/half), so that the roots of each stage are contiguous.
  std::vector<std::complex<double>> roots_;
};

}  // namespace pollen::stats
