// Random subsets and permutations. Several data structures can detect repeated numbers; the choice among them does not
// change what is drawn.
#include <algorithm>
#include <bit>
#include <numeric>

#include "math/math.h"
#include "pollen/random.h"

namespace pollen {
namespace {

using Indices = std::vector<std::uint32_t>;

// Floyd's method (Bentley and Floyd 1987) draws k different numbers of 0..n-1. insert(v) stores v and returns whether
// it was new.
template <class Insert>
void floyd(Sequence& sequence, std::uint32_t n, std::uint32_t k, Insert insert) {
  for (std::uint32_t top = n - k; top < n; ++top) {
    const auto candidate = static_cast<std::uint32_t>(sequence.below(std::uint64_t{top} + 1));
    if (!insert(candidate)) insert(top);
  }
}

// Appends the numbers whose bits are set (or clear) in a bitmap of n bits, in order. Few bits may be set, so four words
// without any are skipped at once; the bitmap must therefore extend four words past its last.
void list_bits(const std::uint32_t* bits, std::uint32_t n, bool set, std::uint32_t* to) {
  const std::uint32_t flip = set ? 0 : ~std::uint32_t{0};
  for (std::uint64_t base = 0; base < n;) {
    const std::uint32_t* at = bits + base / 32;
    if (set && base % 128 == 0 && (at[0] | at[1] | at[2] | at[3]) == 0) {
      base += 128;
      continue;
    }
    std::uint32_t left = *at ^ flip;
    if (n - base < 32) left &= (std::uint32_t{1} << (n - base)) - 1;
    for (; left != 0; left &= left - 1) {
      *to++ = static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(std::countr_zero(left));
    }
    base += 32;
  }
}

// Floyd's method with one bit per number. `chosen` says whether the result is the drawn numbers or the others. The bits
// are stored behind the result in `out`; the caller keeps its capacity, so a loop does not allocate.
void floyd_bitmap(Sequence& sequence, std::uint32_t n, std::uint32_t draws, bool chosen, Indices& out) {
  const std::size_t count = chosen ? draws : n - draws;
  out.assign(count + (std::size_t{n} + 31) / 32 + 4, 0);
  std::uint32_t* bits = out.data() + count;
  floyd(sequence, n, draws, [bits](std::uint32_t v) {
    const std::uint32_t bit = std::uint32_t{1} << (v % 32);
    const bool is_new = (bits[v / 32] & bit) == 0;
    bits[v / 32] |= bit;
    return is_new;
  });
  list_bits(bits, n, chosen, out.data());
  out.resize(count);
}

// Floyd's method for a few numbers out of many, which are kept sorted. The rank of a number is counted over all of
// them: a vectorised count is faster than a binary search that mispredicts.
void floyd_sorted(Sequence& sequence, std::uint32_t n, std::uint32_t k, Indices& out) {
  out.clear();
  out.reserve(k);
  floyd(sequence, n, k, [&out](std::uint32_t v) {
    std::uint32_t smaller = 0, equal = 0;
    for (const std::uint32_t other : out) {
      smaller += other < v ? 1 : 0;
      equal |= other == v ? 1 : 0;
    }
    if (equal != 0) return false;
    out.insert(out.begin() + smaller, v);
    return true;
  });
}

// Floyd's method for many numbers out of very many, with an open-addressing hash table. The table is at most half full
// and is stored behind the result in `out`.
void floyd_hashed(Sequence& sequence, std::uint32_t n, std::uint32_t k, Indices& out) {
  constexpr std::uint32_t kEmpty = 0xffffffffu;  // never drawn, because all candidates are below n
  const std::size_t slots = std::bit_ceil(std::size_t{k} * 2);
  const int shift = 64 - std::countr_zero(slots);
  out.assign(k + slots, kEmpty);
  std::uint32_t* table = out.data() + k;
  std::size_t at = 0;
  floyd(sequence, n, k, [&](std::uint32_t v) {
    std::size_t slot = (v * std::uint64_t{0x9e3779b97f4a7c15}) >> shift;
    for (; table[slot] != kEmpty; slot = (slot + 1) & (slots - 1)) {
      if (table[slot] == v) return false;
    }
    table[slot] = v;
    out[at++] = v;
    return true;
  });
  out.resize(k);
  std::sort(out.begin(), out.end());
}

void all_of(std::uint32_t n, Indices& out) {
  out.resize(n);
  std::iota(out.begin(), out.end(), 0u);
}

}  // namespace

void sample_without_replacement(Sequence& sequence, std::uint32_t n, std::uint32_t k, Indices& out) {
  if (k >= n) return all_of(n, out);
  if (k > n / 2) return floyd_bitmap(sequence, n, n - k, false, out);
  if (n / 1024 <= k) return floyd_bitmap(sequence, n, k, true, out);
  if (k <= 48) return floyd_sorted(sequence, n, k, out);
  floyd_hashed(sequence, n, k, out);
}

// Skips from success to success: the number of failures before a success is geometric and is drawn as floor(log(u) /
// log(1 - p)) with u in (0, 1].
void bernoulli_subset(Sequence& sequence, std::uint32_t n, double p, Indices& out) {
  if (p >= 1.0) return all_of(n, out);
  out.clear();
  if (!(p > 0.0)) return;
  const double per_failure = 1.0 / math::log1p(-p);
  for (std::uint64_t at = 0; at < n; ++at) {
    const double skip = math::log(1.0 - sequence.uniform()) * per_failure;
    if (!(skip < static_cast<double>(n - at))) return;
    at += static_cast<std::uint64_t>(skip);
    out.push_back(static_cast<std::uint32_t>(at));
  }
}

std::vector<std::uint32_t> permutation(Sequence& sequence, std::uint32_t n) {
  Indices order;
  all_of(n, order);
  for (std::uint32_t left = n; left > 1; --left) std::swap(order[left - 1], order[sequence.below(left)]);
  return order;
}

}  // namespace pollen
