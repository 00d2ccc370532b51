#include "qsgd_kernel.h"

#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compress/qsgd_kernel.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace pollen::compress::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using Words = hn::Rebind<std::uint64_t, Doubles>;
using Halves = hn::Rebind<std::uint32_t, Doubles>;
using SignedHalves = hn::Rebind<std::int32_t, Doubles>;
using V = hn::Vec<Doubles>;
using U = hn::Vec<Words>;

// ⌊log2 x⌋ + 1023 of a positive whole number below 2^53.
HWY_INLINE U biased_log(V x) { return hn::ShiftRight<52>(hn::BitCast(Words(), x)); }

// The level of |v|·scale, rounded up where the random word's fraction word·2^-32 is below its fraction.
HWY_INLINE V level_of(const QuantiseJob& job, V v, const std::uint32_t* words) {
  const Doubles f64;
  const V x = hn::Min(hn::Mul(hn::Abs(v), hn::Set(f64, job.scale)), hn::Set(f64, job.top));
  const V low = hn::Floor(x);
  const V fraction = hn::Mul(hn::Sub(x, low), hn::Set(f64, 0x1p32));
  const U word = hn::PromoteTo(Words(), hn::Load(Halves(), words));
  const V above = hn::BitCast(f64, hn::Or(word, hn::BitCast(Words(), hn::Set(f64, 0x1p52))));  // 2^52 + word
  const auto up = hn::Lt(hn::Sub(above, hn::Set(f64, 0x1p52)), fraction);
  return hn::Add(low, hn::IfThenElseZero(up, hn::Set(f64, 1.0)));
}

struct LaneSums {
  U dense;
  U sparse;
};

// One vector from coordinate i on; the bits of its non-zero levels.
template <bool kTail>
HWY_INLINE unsigned quantise_lanes(const QuantiseJob& job, std::size_t i, LaneSums& sums) {
  const Doubles f64;
  const auto inside = hn::FirstN(f64, kTail ? (job.count > i ? job.count - i : 0) : hn::Lanes(f64));
  const V v = kTail ? hn::MaskedLoad(inside, f64, job.v + i) : hn::LoadU(f64, job.v + i);
  const V level = level_of(job, v, job.words + i);
  const V with_sign = hn::CopySign(level, v);
  const V decoded = hn::MulAdd(with_sign, hn::Set(f64, job.unit), hn::Zero(f64));  // adding zero turns -0 into 0
  if (kTail) {
    hn::BlendedStore(decoded, inside, f64, job.decoded + i);
  } else {
    hn::StoreU(decoded, f64, job.decoded + i);
  }
  if (job.levels != nullptr) {
    const auto level32 = hn::DemoteTo(SignedHalves(), with_sign);
    const auto whole = hn::BitCast(Halves(), hn::Abs(level32));
    const auto negative = hn::ShiftRight<31>(hn::BitCast(Halves(), level32));
    hn::Store(hn::Or(hn::Add(whole, whole), negative), Halves(), job.levels + i);
  }
  const V one = hn::Set(f64, 1.0);
  sums.dense = hn::Add(sums.dense, biased_log(hn::Add(level, one)));
  sums.sparse = hn::Add(sums.sparse, biased_log(hn::Max(level, one)));
  std::uint8_t bits[8];
  hn::StoreMaskBits(f64, hn::Ge(level, one), bits);
  return bits[0];
}

template <bool kTail>
HWY_INLINE std::uint64_t quantise_eight(const QuantiseJob& job, std::size_t i, LaneSums& sums) {
  unsigned bits = 0;
  for (std::size_t lane = 0; lane < 8; lane += hn::MaxLanes(Doubles())) {
    bits |= quantise_lanes<kTail>(job, i + lane, sums) << lane;
  }
  job.bitmap[i / 8] = static_cast<std::uint8_t>(bits);
  return static_cast<std::uint64_t>(std::popcount(bits));
}

HWY_INLINE std::uint64_t total(U lanes) { return hn::GetLane(hn::SumOfLanes(Words(), lanes)); }

void quantise_run(const QuantiseJob& caller_job, QuantiseSums& sums) {
  const QuantiseJob job = caller_job;
  LaneSums lanes{hn::Zero(Words()), hn::Zero(Words())};
  std::uint64_t nonzeros = 0;
  std::size_t i = 0;
  for (; i + 8 <= job.count; i += 8) nonzeros += quantise_eight<false>(job, i, lanes);
  if (i < job.count) {
    nonzeros += quantise_eight<true>(job, i, lanes);
    i += 8;
  }
  sums.nonzeros += nonzeros;
  sums.dense_logs += total(lanes.dense) - i * 1023;
  sums.sparse_logs += total(lanes.sparse) - i * 1023;
}

}  // namespace pollen::compress::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pollen::compress {

HWY_EXPORT(quantise_run);

void quantise(const QuantiseJob& job, QuantiseSums& sums) { HWY_DYNAMIC_DISPATCH(quantise_run)(job, sums); }

}  // namespace pollen::compress
#endif
