// Philox4x32-10 on Highway vectors, compiled once per target, for kernels that make random words themselves. One 64-bit
// lane is one counter and holds a 32-bit word in its low half. The high half is meaningless; MulEven ignores it. The
// stream therefore does not depend on the number of lanes.
#if defined(POLLEN_SIMD_PHILOX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POLLEN_SIMD_PHILOX_INL_H_
#undef POLLEN_SIMD_PHILOX_INL_H_
#else
#define POLLEN_SIMD_PHILOX_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "random/philox.h"

HWY_BEFORE_NAMESPACE();
namespace pollen {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
struct Words {
  hn::Vec<D> w[4];
};

template <class D>
HWY_INLINE hn::Vec<D> WideMultiply(D d, hn::Vec<D> low_halves, std::uint32_t factor) {
  const hn::Repartition<std::uint32_t, D> d32;
  return hn::MulEven(hn::BitCast(d32, low_halves), hn::BitCast(d32, hn::Set(d, std::uint64_t{factor})));
}

// Everything that the counters of a stream have in common, broadcast once per call: the key of every round and the
// counter's other words. Only the low halves of the lanes count.
template <class D>
struct Schedule {
  HWY_INLINE Schedule(D d, const Stream& stream) {
    const hn::Repartition<std::uint32_t, D> d32;
    const auto tail = counter_tail(stream);
    for (std::size_t i = 0; i < 3; ++i) rest[i] = hn::BitCast(d, hn::Set(d32, tail[i]));
    const auto k0 = hn::BitCast(d, hn::Set(d32, stream.key[0]));
    const auto k1 = hn::BitCast(d, hn::Set(d32, stream.key[1]));
#pragma GCC unroll 10
    for (std::uint32_t i = 0; i < kPhiloxRounds; ++i) {
      key[i][0] = hn::Add(k0, hn::Set(d, kPhiloxKeySteps[i][0]));
      key[i][1] = hn::Add(k1, hn::Set(d, kPhiloxKeySteps[i][1]));
    }
  }

  hn::Vec<D> rest[3];
  hn::Vec<D> key[kPhiloxRounds][2];
};

// Makes a vector of consecutive counters. Even lanes hold the first half of the counters and odd lanes the second half,
// so that StorePairs needs no permutation across 128-bit blocks.
template <class D>
HWY_INLINE hn::Vec<D> CountersFrom(D d, std::uint64_t first) {
  constexpr std::uint64_t kHalf = hn::MaxLanes(D()) / 2;
  HWY_ALIGN static constexpr std::uint64_t kOrder[8] = {0, kHalf, 1, kHalf + 1, 2, kHalf + 2, 3, kHalf + 3};
  return hn::Add(hn::Set(d, first), hn::Load(d, kOrder));
}

// Stores two vectors of items, computed for the counters of CountersFrom, in counter order; the two items of a counter
// end up next to each other.
template <class D>
HWY_INLINE void StorePairs(D d, hn::Vec<D> first, hn::Vec<D> second, hn::TFromD<D>* out) {
  hn::StoreU(hn::InterleaveLower(d, first, second), d, out);
  hn::StoreU(hn::InterleaveUpper(d, first, second), d, out + hn::Lanes(d));
}

// Computes the words of counters first, first + 1, ... in kBatch vectors, side by side to hide the multiplier's
// latency.
template <std::size_t kBatch, class D>
HWY_INLINE void PhiloxBatch(D d, const Schedule<D>& schedule, std::uint64_t first, Words<D> (&out)[kBatch]) {
  for (std::size_t b = 0; b < kBatch; ++b) {
    out[b].w[0] = CountersFrom(d, first + b * hn::Lanes(d));
    for (std::size_t i = 1; i < 4; ++i) out[b].w[i] = schedule.rest[i - 1];
  }
#pragma GCC unroll 10
  for (std::size_t round = 0; round < kPhiloxRounds; ++round) {
    for (std::size_t b = 0; b < kBatch; ++b) {
      auto& w = out[b].w;
      const auto p0 = WideMultiply(d, w[0], kPhiloxM0);
      const auto p1 = WideMultiply(d, w[2], kPhiloxM1);
      w[0] = hn::Xor3(hn::ShiftRight<32>(p1), w[1], schedule.key[round][0]);
      w[2] = hn::Xor3(hn::ShiftRight<32>(p0), w[3], schedule.key[round][1]);
      w[1] = p1;
      w[3] = p0;
    }
  }
}

// Joins two 32-bit halves to 64-bit words. The unused high half of `high` is shifted out and that of `low` is dropped.
template <class D>
HWY_INLINE hn::Vec<D> JoinHalves(D d, hn::Vec<D> low, hn::Vec<D> high) {
  const hn::Repartition<std::uint32_t, D> d32;
  return hn::BitCast(d, hn::OddEven(hn::BitCast(d32, hn::ShiftLeft<32>(high)), hn::BitCast(d32, low)));
}

// Stores the words of a vector of counters in the stream's order, two 32-bit words in each 64-bit word.
template <class D>
HWY_INLINE void StoreWords(D d, const Words<D>& words, std::uint64_t* out) {
  StorePairs(d, JoinHalves(d, words.w[0], words.w[1]), JoinHalves(d, words.w[2], words.w[3]), out);
}

}  // namespace HWY_NAMESPACE
}  // namespace pollen
HWY_AFTER_NAMESPACE();

#endif  // include guard, toggled for each target
