#include "qsgd_kernel.h"

#include <bit>
#include <cmath>
#include <stdexcept>

#include "qsgd_code.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "qsgd_kernel.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "math/lanes-inl.h"
#include "random/philox-inl.h"

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
constexpr std::size_t kGroup = 64;  // coordinates per turn, which use sixteen counters of Philox

// Returns ⌊log2 x⌋ + 1023 for a positive whole number x below 2^53, and 0 for x = 0.
HWY_INLINE U biased_log(V x) { return hn::ShiftRight<52>(hn::BitCast(Words(), x)); }

// The numbers that all coordinates of a vector share, and sums over its coordinates.
struct Pass {
  const double* v;
  double* decoded;
  std::uint32_t* levels;
  double scale;                       // s / norm
  double unit;                        // norm / s
  double top;                         // s
  U dense_logs = hn::Zero(Words());   // Σ biased_log(level + 1) since the last count()
  U sparse_logs = hn::Zero(Words());  // Σ biased_log(level); a zero level adds nothing
};

// The level of each lane: |v|·scale, rounded up if word·2^-32 is below its fractional part, else rounded down.
HWY_INLINE V level_of(const Pass& pass, V v, const std::uint32_t* words) {
  const Doubles f64;
  const V x = hn::Min(hn::Mul(hn::Abs(v), hn::Set(f64, pass.scale)), hn::Set(f64, pass.top));
  const V low = hn::Floor(x);
  const U word = hn::PromoteTo(Words(), hn::Load(Halves(), words));
  const V above = hn::BitCast(f64, hn::Or(word, hn::BitCast(Words(), hn::Set(f64, 0x1p20))));  // 2^20 + word·2^-32
  const auto up = hn::Lt(hn::Sub(above, hn::Set(f64, 0x1p20)), hn::Sub(x, low));
  return hn::IfThenElse(up, hn::Add(low, hn::Set(f64, 1.0)), low);
}

struct Quantised {
  V level, with_sign;
};

// Quantises one SIMD vector of coordinates from i on. With kTail only its first `count` lanes exist.
template <bool kTail>
HWY_INLINE Quantised quantise_lanes(const Pass& pass, std::size_t i, std::size_t count, const std::uint32_t* words) {
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
  return {level, with_sign};
}

// Stores levels and adds to the sums of logarithms.
HWY_INLINE void take_many(const Quantised& q, std::size_t i, Pass& pass) {
  const auto level32 = hn::DemoteTo(SignedHalves(), q.with_sign);
  const auto whole = hn::BitCast(Halves(), hn::Abs(level32));
  const auto negative = hn::ShiftRight<31>(hn::BitCast(Halves(), level32));
  hn::Store(hn::Or(hn::Add(whole, whole), negative), Halves(), pass.levels + i);
  pass.sparse_logs = hn::Add(pass.sparse_logs, biased_log(q.level));
  pass.dense_logs = hn::Add(pass.dense_logs, biased_log(hn::Add(q.level, hn::Set(Doubles(), 1.0))));
}

// Computes the random words first, ..., first + 63 of the stream.
HWY_INLINE void make_words(const random::Schedule<Words>& schedule, std::size_t first, std::uint32_t* words) {
  constexpr std::size_t kBatch = 2;
  random::Words<Words> batch[kBatch];
  auto* to = reinterpret_cast<std::uint64_t*>(words);
  for (std::size_t counter = 0; counter < kGroup / 4; counter += kBatch * kLanes) {
    random::PhiloxBatch<kBatch>(Words(), schedule, first / 4 + counter, batch);
    for (std::size_t b = 0; b < kBatch; ++b) random::StoreWords(Words(), batch[b], to + 2 * (counter + b * kLanes));
  }
}

// Quantises `count` ≤ 64 coordinates from i on.
HWY_INLINE void quantise_many(Pass& pass, std::size_t i, std::size_t count, const std::uint32_t* words) {
  std::size_t j = 0;
  for (; j + kLanes <= count; j += kLanes)
    take_many(quantise_lanes<false>(pass, i + j, kLanes, words + j), i + j, pass);
  if (j < count) take_many(quantise_lanes<true>(pass, i + j, count - j, words + j), i + j, pass);
}

// Appends the positions of the lanes that are not zero, the first lane having position i. Returns the end of the
// positions, after which it may have written up to a vector more.
HWY_INLINE std::uint32_t* append_nonzeros(V lanes, std::size_t i, std::uint32_t* positions) {
  std::uint8_t bits[8];
  hn::StoreMaskBits(Doubles(), hn::Ne(lanes, hn::Zero(Doubles())), bits);
  HWY_ALIGN static constexpr std::uint32_t kOrder[8] = {0, 1, 2, 3, 4, 5, 6, 7};  // g++ builds Iota() lane by lane
  const auto all = hn::Add(hn::Set(Halves(), static_cast<std::uint32_t>(i)), hn::Load(Halves(), kOrder));
  hn::StoreU(hn::Compress(all, hn::LoadMaskBits(Halves(), bits)), Halves(), positions);
  return positions + std::popcount(bits[0]);
}

HWY_INLINE std::uint64_t sum_of(U logs) { return hn::GetLane(hn::SumOfLanes(Words(), logs)); }

// Number of coordinates after which count() must be called. biased_log(level + 1) - biased_log(level) is 1023 for a
// zero level and at most 1 for any other, so over fewer than 1023 lanes the number of zeros follows from the two sums.
constexpr std::size_t kCounted = 15 * kGroup;

// Adds the sums over the last `coordinates` coordinates to the counts and sets them to zero.
HWY_INLINE void count(Pass& pass, std::size_t coordinates, QsgdCounts& counts) {
  const std::uint64_t lanes = (coordinates + kLanes - 1) / kLanes * kLanes;
  const std::uint64_t dense = sum_of(pass.dense_logs), sparse = sum_of(pass.sparse_logs);
  const std::uint64_t nonzeros = lanes - (dense - sparse) / 1023;
  counts.nonzeros += nonzeros;
  counts.dense_logs += dense - lanes * 1023;
  counts.sparse_logs += sparse - nonzeros * 1023;
  pass.dense_logs = pass.sparse_logs = hn::Zero(Words());
}

HWY_INLINE void quantise_one(QuantiseJob& job, Pass pass) {
  const std::size_t d = job.what->v.size();
  const random::Schedule<Words> schedule(Words(), job.what->stream);
  HWY_ALIGN std::uint32_t words[kGroup];
  std::size_t counted = 0;
  for (std::size_t i = 0; i < d; i += kGroup) {
    if (i - counted == kCounted) {
      count(pass, kCounted, job.counts);
      counted = i;
    }
    make_words(schedule, i, words);
    quantise_many(pass, i, HWY_MIN(kGroup, d - i), words);
  }
  count(pass, d - counted, job.counts);
}

// The norms of all vectors come first: their square roots and divisions are the longest chain of dependent operations,
// and so they run side by side.
void quantise_all(std::span<QuantiseJob> jobs, std::uint32_t levels) {
  const double s = levels;
  double norm[kTogether];
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto v = jobs[i].what->v;
    norm[i] = pollen::math::HWY_NAMESPACE::DotOf(v.data(), v.data(), v.size());
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) norm[i] = qsgd_norm(std::sqrt(norm[i]));
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    QuantiseJob& job = jobs[i];
    job.norm = static_cast<float>(norm[i]);
    job.counts = {.dimension = job.what->v.size()};
    if (!(norm[i] > 0)) continue;
    const Pass pass{.v = job.what->v.data(),
                    .decoded = job.what->decoded.data(),
                    .levels = job.levels,
                    .scale = s / norm[i],
                    .unit = norm[i] / s,
                    .top = s};
    quantise_one(job, pass);
  }
}

void find_all(std::span<const double> decoded, std::uint32_t* positions) {
  const Doubles f64;
  const std::size_t d = decoded.size();
  std::size_t i = 0;
  for (; i + kLanes <= d; i += kLanes) positions = append_nonzeros(hn::LoadU(f64, decoded.data() + i), i, positions);
  if (i < d) append_nonzeros(hn::MaskedLoad(hn::FirstN(f64, d - i), f64, decoded.data() + i), i, positions);
}

// Returns Σ_{k ≥ 1} biased_log(positions[k] - positions[k-1]).
std::uint64_t gap_logs(Positions positions) {
  const Doubles f64;
  const V offset = hn::Set(f64, 0x1p52);
  U sum = hn::Zero(Words());
  for (std::size_t k = 1; k < positions.size(); k += kLanes) {
    const auto inside = hn::FirstN(Halves(), positions.size() - k);
    const auto here = hn::MaskedLoad(inside, Halves(), positions.data() + k);
    const auto before = hn::MaskedLoad(inside, Halves(), positions.data() + k - 1);
    const U gap = hn::PromoteTo(Words(), hn::Sub(here, before));
    const V above = hn::BitCast(f64, hn::Or(gap, hn::BitCast(Words(), offset)));  // 2^52 + gap
    sum = hn::Add(sum, biased_log(hn::Sub(above, offset)));
  }
  return sum_of(sum);
}

}  // namespace pollen::compress::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pollen::compress {

HWY_EXPORT(quantise_all);
HWY_EXPORT(find_all);
HWY_EXPORT(gap_logs);

void quantise(std::span<QuantiseJob> jobs, std::uint32_t s) {
  if (jobs.size() > kTogether) throw std::logic_error("qsgd: more vectors at once than there is room for");
  HWY_DYNAMIC_DISPATCH(quantise_all)(jobs, s);
}

void find_nonzeros(std::span<const double> decoded, std::uint32_t* positions) {
  HWY_DYNAMIC_DISPATCH(find_all)(decoded, positions);
}

std::uint64_t gap_length(Positions nonzero, std::size_t d) {
  if (nonzero.empty()) return gamma_length(d + 1);
  const std::uint64_t between = nonzero.size() - 1;
  const std::uint64_t logs = HWY_DYNAMIC_DISPATCH(gap_logs)(nonzero) - 1023 * between;
  return gamma_length(nonzero[0] + 1U) + 2 * logs + between + gamma_length(d - nonzero.back());
}

}  // namespace pollen::compress
#endif
