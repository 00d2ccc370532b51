// The autocovariances of chains, by discrete Fourier transforms.
#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include "ranks.h"
#include "split_chains.h"

namespace pollen::stats {
namespace {

using Complex = std::complex<double>;

// Returns exp(-πi j/half) at half + j for every power of two `half` below `size`, so that the roots of each stage of a
// transform are contiguous. A thread keeps the last roots, because the chains of all parameters have the same length.
const std::vector<Complex>& roots_of_unity(std::size_t size) {
  thread_local std::vector<Complex> roots;
  if (roots.size() == size) return roots;
  roots.assign(size, {});
  for (std::size_t half = 1; half < size; half *= 2) {
    for (std::size_t j = 0; j < half; ++j) {
      const double angle = -std::numbers::pi * static_cast<double>(j) / static_cast<double>(half);
      roots[half + j] = {std::cos(angle), std::sin(angle)};
    }
  }
  return roots;
}

void reverse_bits(std::vector<Complex>& x) {
  for (std::size_t i = 1, j = 0; i < x.size(); ++i) {
    std::size_t bit = x.size() / 2;
    for (; j & bit; bit /= 2) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
}

// The discrete Fourier transform of a power-of-two length M, in place: x_k ← Σ_t x_t exp(-2πi kt/M). It is the radix-2
// Cooley-Tukey algorithm, decimation in time. The complex product is written out, because the library's operator checks
// every factor for NaN.
void transform(const std::vector<Complex>& roots, std::vector<Complex>& x) {
  reverse_bits(x);
  for (std::size_t half = 1; half < x.size(); half *= 2) {
    for (std::size_t start = 0; start < x.size(); start += 2 * half) {
      for (std::size_t j = 0; j < half; ++j) {
        const Complex w = roots[half + j], b = x[start + half + j], a = x[start + j];
        const Complex c(w.real() * b.real() - w.imag() * b.imag(), w.real() * b.imag() + w.imag() * b.real());
        x[start + j] = a + c;
        x[start + half + j] = a - c;
      }
    }
  }
}

}  // namespace

// Two chains share a transform as real and imaginary parts: the real part of the autocovariance of a + ib is that of a
// plus that of b. Zero padding to twice the length keeps the correlation from wrapping around, and the transform of a
// real spectrum serves as its own inverse.
std::vector<double> mean_autocovariance(const SplitChains& x) {
  const std::vector<Complex>& roots = roots_of_unity(std::bit_ceil(2 * x.length));
  std::vector<Complex> work(roots.size());
  std::vector<double> power(roots.size(), 0.0);
  for (std::size_t c = 0; c < x.chains; c += 2) {
    const auto first = x.chain(c), second = c + 1 < x.chains ? x.chain(c + 1) : std::span<const double>();
    const double first_mean = mean(first), second_mean = mean(second);
    std::fill(work.begin(), work.end(), Complex());
    for (std::size_t t = 0; t < x.length; ++t)
      work[t] = {first[t] - first_mean, second.empty() ? 0.0 : second[t] - second_mean};
    transform(roots, work);
    for (std::size_t k = 0; k < power.size(); ++k) power[k] += std::norm(work[k]);
  }
  std::copy(power.begin(), power.end(), work.begin());
  transform(roots, work);
  const double divisor =
      static_cast<double>(roots.size()) * static_cast<double>(x.chains) * static_cast<double>(x.length);
  std::vector<double> result(x.length);
  for (std::size_t t = 0; t < x.length; ++t) result[t] = work[t].real() / divisor;
  return result;
}

}  // namespace pollen::stats
