#include "qsgd_kernel.h"

#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compress/qsgd_kernel.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "pollen/simd/lanes-inl.h"
#include "pollen/simd/philox-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pollen::compress::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
namespace random = pollen::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using Words = hn::Rebind<std::uint64_t, Doubles>;
using Halves = hn::Rebind<std::uint32_t, Doubles>;
using SignedHalves = hn::Rebind<std::int32_t, Doubles>;
using V = hn::Vec<Doubles>;
using U = hn::Vec<Words>;

constexpr std::size_t kLanes = HWY_LANES(double);
constexpr std::size_t kGroup = 64;  // coordinates a turn: one word of the bitmap, sixteen counters of Philox

// ‖v‖ rounded up to float32; 0 where it is below the normal range, NaN where it is above or not finite.
HWY_INLINE double wire_norm(std::span<const double> v) {
  const double norm = std::sqrt(pollen::math::HWY_NAMESPACE::DotOf(v.data(), v.data(), v.size()));
  if (!(norm <= double{FLT_MAX})) return std::numeric_limits<double>::quiet_NaN();
  if (norm < double{FLT_MIN}) return 0;
  // A float's 23 digits after the first are the top ones of a double's 52. In whole numbers, because the conversions
  // would be on the longest path of the whole kernel.
  constexpr std::uint64_t kBelow = (std::uint64_t{1} << 29) - 1;
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(norm) + kBelow) & ~kBelow);
}

// ⌊log2 x⌋ + 1023 of a positive whole number below 2^53.
HWY_INLINE U biased_log(V x) { return hn::ShiftRight<52>(hn::BitCast(Words(), x)); }

// What all coordinates share, and sums over them.
struct Pass {
  const double* v;
  double* decoded;
  std::uint32_t* levels;
  double scale;  // s / norm
  double unit;   // norm / s
  double top;    // s
  U dense_logs = hn::Zero(Words());
};

// Bit i belongs to lane i.
struct LaneBits {
  std::uint64_t nonzero = 0;
  std::uint64_t below_power = 0;  // the level + 1 is a power of two: its logarithm is one more than the level's
};

HWY_INLINE std::uint64_t bits_of(hn::Mask<Doubles> mask) {
  std::uint8_t bits[8];
  hn::StoreMaskBits(Doubles(), mask, bits);
  return bits[0];
}

// The level of |v|·scale, rounded up where the random word's fraction word·2^-32 is below its fraction.
HWY_INLINE V level_of(const Pass& pass, V v, const std::uint32_t* words) {
  const Doubles f64;
  const V x = hn::Min(hn::Mul(hn::Abs(v), hn::Set(f64, pass.scale)), hn::Set(f64, pass.top));
  const V low = hn::Floor(x);
  const U word = hn::PromoteTo(Words(), hn::Load(Halves(), words));
  const V above = hn::BitCast(f64, hn::Or(word, hn::BitCast(Words(), hn::Set(f64, 0x1p20))));  // 2^20 + word·2^-32
  const auto up = hn::Lt(hn::Sub(above, hn::Set(f64, 0x1p20)), hn::Sub(x, low));
  return hn::IfThenElse(up, hn::Add(low, hn::Set(f64, 1.0)), low);
}

// One vector from coordinate i on, of which `count` lanes are there.
template <bool kTail>
HWY_INLINE LaneBits quantise_lanes(Pass& pass, std::size_t i, std::size_t count, const std::uint32_t* words) {
  const Doubles f64;
  const auto inside = hn::FirstN(f64, kTail ? count : kLanes);
  const double* from = pass.v + i;
  const V v = kTail ? hn::MaskedLoad(inside, f64, from) : hn::LoadU(f64, from);
  const V level = level_of(pass, v, words);
  const V with_sign = hn::CopySign(level, v);
  const V decoded = hn::MulAdd(with_sign, hn::Set(f64, pass.unit), hn::Zero(f64));  // adding zero turns -0 into 0
  if (kTail) {
    hn::BlendedStore(decoded, inside, f64, pass.decoded + i);
  } else {
    hn::StoreU(decoded, f64, pass.decoded + i);
  }
  if (pass.levels != nullptr) {
    const auto level32 = hn::DemoteTo(SignedHalves(), with_sign);
    const auto whole = hn::BitCast(Halves(), hn::Abs(level32));
    const auto negative = hn::ShiftRight<31>(hn::BitCast(Halves(), level32));
    hn::Store(hn::Or(hn::Add(whole, whole), negative), Halves(), pass.levels + i);
  }
  const V one = hn::Set(f64, 1.0);
  const V next = hn::Add(level, one);
  pass.dense_logs = hn::Add(pass.dense_logs, biased_log(next));
  const U digits = hn::Set(Words(), (std::uint64_t{1} << 52) - 1);
  const auto power = hn::Eq(hn::And(hn::BitCast(Words(), next), digits), hn::Zero(Words()));
  return {bits_of(hn::Ge(level, one)), bits_of(hn::RebindMask(f64, power))};
}

// Words first .. first + 63 of the stream.
HWY_INLINE void make_words(const random::Schedule<Words>& schedule, std::size_t first, std::uint32_t* words) {
  constexpr std::size_t kBatch = 2;
  random::Words<Words> batch[kBatch];
  auto* to = reinterpret_cast<std::uint64_t*>(words);
  for (std::size_t counter = 0; counter < kGroup / 4; counter += kBatch * kLanes) {
    random::PhiloxBatch<kBatch>(Words(), schedule, first / 4 + counter, batch);
    for (std::size_t b = 0; b < kBatch; ++b) random::StoreWords(Words(), batch[b], to + 2 * (counter + b * kLanes));
  }
}

// `count` ≤ 64 coordinates from i on.
HWY_INLINE LaneBits quantise_group(Pass& pass, std::size_t i, std::size_t count, const std::uint32_t* words) {
  LaneBits all;
  const auto put = [&all](LaneBits bits, std::size_t at) HWY_ATTR {
    all.nonzero |= bits.nonzero << at;
    all.below_power |= bits.below_power << at;
  };
  std::size_t j = 0;
  for (; j + kLanes <= count; j += kLanes) put(quantise_lanes<false>(pass, i + j, kLanes, words + j), j);
  if (j < count) put(quantise_lanes<true>(pass, i + j, count - j, words + j), j);
  all.below_power &= all.nonzero;  // 0 + 1 is one, too
  return all;
}

Quantisation quantise_all(const QuantiseJob& job) {
  Quantisation result;
  const double s = job.s, norm = wire_norm(job.v);
  result.norm = static_cast<float>(norm);
  if (!(norm > 0)) return result;
  Pass pass{
      .v = job.v.data(), .decoded = job.decoded, .levels = job.levels, .scale = s / norm, .unit = norm / s, .top = s};
  const std::size_t d = job.v.size();
  const random::Schedule<Words> schedule(Words(), *job.stream);
  HWY_ALIGN std::uint32_t words[kGroup];
  std::uint64_t below_powers = 0;
  for (std::size_t i = 0; i < d; i += kGroup) {
    make_words(schedule, i, words);
    const LaneBits bits = quantise_group(pass, i, HWY_MIN(kGroup, d - i), words);
    job.bitmap[i / kGroup] = bits.nonzero;
    result.nonzeros += static_cast<std::uint64_t>(std::popcount(bits.nonzero));
    below_powers += static_cast<std::uint64_t>(std::popcount(bits.below_power));
  }
  const std::uint64_t lanes = (d + kLanes - 1) / kLanes * kLanes;
  result.dense_logs = hn::GetLane(hn::SumOfLanes(Words(), pass.dense_logs)) - lanes * 1023;
  result.sparse_logs = result.dense_logs - below_powers;
  return result;
}

}  // namespace pollen::compress::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pollen::compress {

HWY_EXPORT(quantise_all);

Quantisation quantise(const QuantiseJob& job) { return HWY_DYNAMIC_DISPATCH(quantise_all)(job); }

}  // namespace pollen::compress
#endif
