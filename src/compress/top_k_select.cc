#include "top_k_select.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

namespace pollen::compress {
namespace {

using Key = std::uint64_t;  // the bits of |v|, which are ordered as the magnitudes are

Key key_of(double value) { return std::bit_cast<Key>(value) & ~(Key{1} << 63); }

// Guesses a bound that slightly more than k keys reach, from a sample at equal strides. Only speed depends on it.
Key guess(std::span<const double> v, std::size_t k, Scratch& scratch) {
  constexpr std::size_t kSample = 2048;
  if (v.size() < 4 * kSample || k > v.size() / 4) return 0;
  const double expected = static_cast<double>(k) * kSample / static_cast<double>(v.size());
  const std::size_t rank = static_cast<std::size_t>(expected + 3 * std::sqrt(expected)) + 4;
  const std::span<Key> sample = scratch.take<Key>(kSample);
  for (std::size_t i = 0; i < kSample; ++i) sample[i] = key_of(v[i * (v.size() / kSample)]);
  const auto place = sample.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(sample.begin(), place, sample.end(), std::greater<>());
  return *place;
}

// Writes the indices of the keys that reach `bound`, ascending, and returns their number. The loop has no branches,
// because their outcome would be random.
std::size_t collect(std::span<const double> v, Key bound, std::uint32_t* found) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    found[count] = static_cast<std::uint32_t>(i);
    count += key_of(v[i]) >= bound ? 1 : 0;
  }
  return count;
}

}  // namespace

std::span<std::uint32_t> largest(std::span<const double> v, Index k, Scratch& scratch) {
  const std::size_t wanted = static_cast<std::size_t>(k);
  const std::span<std::uint32_t> found = scratch.take<std::uint32_t>(static_cast<Index>(v.size()));
  std::size_t count = collect(v, guess(v, wanted, scratch), found.data());
  if (count < wanted) count = collect(v, 0, found.data());
  if (count == wanted) return found.first(wanted);

  const std::span<Key> keys = scratch.take<Key>(static_cast<Index>(count));
  for (std::size_t i = 0; i < count; ++i) keys[i] = key_of(v[found[i]]);
  const auto kth = keys.begin() + (k - 1);
  std::nth_element(keys.begin(), kth, keys.end(), std::greater<>());
  const Key least = *kth;
  std::size_t ties =
      wanted - static_cast<std::size_t>(std::count_if(keys.begin(), kth, [&](Key x) { return x > least; }));
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Key key = key_of(v[found[i]]);
    const bool tie = key == least && ties > 0;
    ties -= tie ? 1 : 0;
    found[kept] = found[i];
    kept += key > least || tie ? 1 : 0;
  }
  return found.first(wanted);
}

}  // namespace pollen::compress
