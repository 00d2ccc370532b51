// top-k and rand-k send k coordinates and leave the others out. top-k keeps those of largest magnitude, ties going to
// the lower index, and is contractive with α = k/d. rand-k keeps a uniformly random subset, multiplied by d/k, and is
// unbiased with ω = d/k - 1.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <vector>

#include "index_set.h"
#include "kinds.h"
#include "math/math.h"
#include "payload.h"

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

// Finds the k largest magnitudes of a vector in O(d), ties going to the lower index. Returns their indices, ascending,
// in memory of the caller's scratch frame; 1 ≤ k ≤ d. Infinities and NaNs count as the largest of all, so if the vector
// has any, one is among the k that are returned.
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

// Draws k of the numbers below d. The result stays valid until the thread draws again.
Indices random_subset(const Stream& stream, std::size_t d, Index k) {
  thread_local std::vector<std::uint32_t> chosen;  // reused memory; it carries no state between calls
  Sequence sequence(stream);
  sample_without_replacement(sequence, static_cast<std::uint32_t>(d), static_cast<std::uint32_t>(k), chosen);
  return chosen;
}

enum class Choice { largest, random };

class KeepK final : public Compressor {
 public:
  KeepK(const CompressorSpec& spec, Index d, Choice choice)
      : k_(spec.k), bits_(spec.bits), random_(choice == Choice::random), whole_(spec.k == d) {}

  std::int64_t encode(std::span<const double> v, const Stream& stream, std::span<double> decoded, Bytes* payload,
                      Scratch& scratch) const override {
    Encoding alone{v, stream, decoded, payload};
    encode_joined({&alone, 1}, {}, Role::message, payload, scratch);
    return alone.bits;
  }
  void decode(ByteView payload, std::span<double> out, Scratch& scratch) const override {
    const Decoding alone{{}, 1, out};
    decode_joined(payload, {&alone, 1}, {}, Role::message, scratch);
  }

  bool joins() const override { return true; }
  CodeMemory encode_joined(std::span<Encoding> parts, const CodeMemory&, Role, Bytes* payload,
                           Scratch& scratch) const override {
    Scratch::Frame frame(scratch);
    const auto k = static_cast<std::size_t>(k_);
    const auto chosen = scratch.take<std::uint32_t>(k_ * std::ssize(parts));
    for (std::size_t p = 0; p < parts.size(); ++p) keep(parts[p], chosen.subspan(p * k, k), scratch);
    for (Encoding& part : parts) part.bits = 0;
    parts.front().bits = encode_index_sets(chosen, parts, bits_, payload, scratch);
    return {};
  }
  CodeMemory decode_joined(ByteView payload, std::span<const Decoding> parts, const CodeMemory&, Role,
                           Scratch& scratch) const override {
    decode_index_sets(payload, k_, bits_, parts, scratch);
    return {};
  }

  bool unbiased() const override { return random_ || whole_; }
  double omega(Index d) const override {
    return random_ ? static_cast<double>(d) / static_cast<double>(k_) - 1 : 1 - alpha(d);
  }
  double alpha(Index d) const override {
    return random_ ? alpha_of_omega(omega(d)) : static_cast<double>(k_) / static_cast<double>(d);
  }
  // rand-k: E C_i C_j is (d/k) v_i² for i = j and d(k-1)/(k(d-1)) v_i v_j otherwise.
  double covariance(std::span<const double> v, std::span<double> diagonal) const override {
    if (!random_) return Compressor::covariance(v, diagonal);
    const auto d = static_cast<double>(v.size()), k = static_cast<double>(k_);
    const double between = whole_ ? 0 : -(d - k) / (k * (d - 1));
    for (std::size_t j = 0; j < v.size(); ++j) diagonal[j] = (d / k - 1 - between) * v[j] * v[j];
    return between;
  }

 private:
  // Chooses the indices of a vector that are kept, and writes what is decoded of it.
  void keep(const Encoding& part, std::span<std::uint32_t> indices, Scratch& scratch) const {
    const std::span<const double> v = part.v;
    if (random_ && !math::all_finite(v)) numeric_error("a value is not finite");
    Scratch::Frame frame(scratch);
    std::ranges::copy(random_ ? random_subset(part.stream, v.size(), k_) : Indices(largest(v, k_, scratch)),
                      indices.begin());
    const double factor = random_ ? static_cast<double>(v.size()) / static_cast<double>(k_) : 1.0;
    // The values are copied, because `decoded` may be `v`.
    const std::span<double> kept = scratch.take<double>(k_);
    for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = rounded(v[indices[i]] * factor, bits_);
    if (!math::all_finite(kept))
      numeric_error(math::all_finite(v) ? "a value is above the range of its words" : "a value is not finite");
    std::ranges::fill(part.decoded, 0.0);
    for (std::size_t i = 0; i < kept.size(); ++i) part.decoded[indices[i]] = kept[i];
  }

  Index k_;
  int bits_;
  bool random_;
  bool whole_;  // k is the dimension, so no coordinate is left out
};

}  // namespace

CompressorRow top_k_row() {
  return {"top-k", "the k largest coordinates; biased, for error feedback", "k bits", false,
          [](const CompressorSpec& spec, Index d) { return std::make_unique<KeepK>(spec, d, Choice::largest); }};
}

CompressorRow rand_k_row() {
  return {"rand-k", "k random coordinates times d/k; unbiased", "k bits", true,
          [](const CompressorSpec& spec, Index d) { return std::make_unique<KeepK>(spec, d, Choice::random); }};
}

}  // namespace pollen::compress
