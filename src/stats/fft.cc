#include "fft.h"

#include <cmath>
#include <numbers>
#include <utility>

namespace pollen::stats {

Fft::Fft(std::size_t size) : size_(size), roots_(size) {
  for (std::size_t half = 1; half < size; half *= 2) {
    for (std::size_t j = 0; j < half; ++j) {
      const double angle = -std::numbers::pi * static_cast<double>(j) / static_cast<double>(half);
      roots_[half + j] = {std::cos(angle), std::sin(angle)};
    }
  }
}

namespace {

void reverse_bits(std::vector<std::complex<double>>& x) {
  for (std::size_t i = 1, j = 0; i < x.size(); ++i) {
    std::size_t bit = x.size() / 2;
    for (; j & bit; bit /= 2) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
}

}  // namespace

// The radix-2 Cooley-Tukey algorithm, decimation in time. The complex product is written out, because the library's
// operator checks every factor for NaN.
void Fft::transform(std::vector<std::complex<double>>& x) const {
  reverse_bits(x);
  for (std::size_t half = 1; half < size_; half *= 2) {
    for (std::size_t start = 0; start < size_; start += 2 * half) {
      for (std::size_t j = 0; j < half; ++j) {
        const std::complex<double> w = roots_[half + j], b = x[start + half + j], a = x[start + j];
        const std::complex<double> c(w.real() * b.real() - w.imag() * b.imag(),
                                     w.real() * b.imag() + w.imag() * b.real());
        x[start + j] = a + c;
        x[start + half + j] = a - c;
      }
    }
  }
}

}  // namespace pollen::stats
