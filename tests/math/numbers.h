// Numbers for tests, and comparisons.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace pollen::test {

// Returns numbers in (-2, 2). The C++ standard fixes the generator's bits.
inline std::vector<double> numbers(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<double> out(count);
  for (double& x : out) x = static_cast<double>(generator() >> 11) * 0x1p-51 - 2.0;
  return out;
}

inline void expect_same_bits(std::span<const double> a, std::span<const double> b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i]))
        << i << ": " << a[i] << ' ' << b[i];
  }
}

}  // namespace pollen::test
