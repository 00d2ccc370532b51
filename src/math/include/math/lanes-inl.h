// Eight logical lanes of doubles, compiled once per target: one AVX-512 vector or two AVX2 vectors. A sum that keeps
// these eight lanes and adds them with SumLanes has the same bits on both.
#if defined(POLLEN_SIMD_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POLLEN_SIMD_LANES_INL_H_
#undef POLLEN_SIMD_LANES_INL_H_
#else
#define POLLEN_SIMD_LANES_INL_H_
#endif

#include <cstddef>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace pollen::math {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
using Mask = hn::Mask<D>;
using D4 = hn::CappedTag<double, 4>;
using V4 = hn::Vec<D4>;

inline constexpr std::size_t kLanes = HWY_LANES(double);
inline constexpr std::size_t kParts = 8 / kLanes;  // number of vectors that make up the eight lanes
static_assert(kParts == 1 || kParts == 2, "the targets are AVX2 and AVX-512");

struct Eight {
  V part[kParts];
};

HWY_INLINE Eight ZeroEight() {
  Eight r;
  for (std::size_t p = 0; p < kParts; ++p) r.part[p] = hn::Zero(D());
  return r;
}

HWY_INLINE Eight LoadEight(const double* from) {
  Eight r;
  for (std::size_t p = 0; p < kParts; ++p) r.part[p] = hn::LoadU(D(), from + p * kLanes);
  return r;
}

// The mask of part p when only the first `count` of the eight lanes hold data.
HWY_INLINE Mask PartMask(std::size_t count, std::size_t p) {
  return hn::FirstN(D(), count > p * kLanes ? count - p * kLanes : 0);
}

// Loads the first `count` lanes and sets the others to zero. It does not read memory past them.
HWY_INLINE Eight LoadFirst(const double* from, std::size_t count) {
  Eight r;
  for (std::size_t p = 0; p < kParts; ++p) r.part[p] = hn::MaskedLoad(PartMask(count, p), D(), from + p * kLanes);
  return r;
}

HWY_INLINE Eight AddEight(Eight a, const Eight& b) {
  for (std::size_t p = 0; p < kParts; ++p) a.part[p] = hn::Add(a.part[p], b.part[p]);
  return a;
}

HWY_INLINE Eight MulAddEight(const Eight& a, const Eight& b, Eight sum) {
  for (std::size_t p = 0; p < kParts; ++p) sum.part[p] = hn::MulAdd(a.part[p], b.part[p], sum.part[p]);
  return sum;
}

// Adds lane l + 4 to lane l. This is a template only so that the branch of the other target is not compiled.
template <class Lanes>
HWY_INLINE V4 FoldToFour(const Lanes& a) {
  if constexpr (kParts == 1) {
    return hn::Add(hn::LowerHalf(D4(), a.part[0]), hn::UpperHalf(D4(), a.part[0]));
  } else {
    return hn::Add(a.part[0], a.part[kParts - 1]);
  }
}

// Returns the lane sums (l0 + l1) + (l2 + l3) of the four vectors, in the order of the arguments.
HWY_INLINE V4 SumEachOfFour(V4 a, V4 b, V4 c, V4 d) {
  const D4 d4;
  const V4 ab = hn::Add(hn::InterleaveLower(d4, a, b), hn::InterleaveUpper(d4, a, b));
  const V4 cd = hn::Add(hn::InterleaveLower(d4, c, d), hn::InterleaveUpper(d4, c, d));
  return hn::Add(hn::ConcatLowerLower(d4, cd, ab), hn::ConcatUpperUpper(d4, cd, ab));
}

HWY_INLINE double SumLanes(const Eight& a) {
  const V4 four = FoldToFour(a);
  return hn::GetLane(SumEachOfFour(four, four, four, four));
}

// Sums `count` terms in an order that no target changes. A sum keeps four groups of eight lanes: block b of eight terms
// goes to group b mod 4, and the last, partial block goes to group 3. At the end the groups are added as (0 + 1) + (2 +
// 3), and then the lanes by SumLanes. accumulate(sum, i, load) adds the eight terms from i on and reads memory through
// load(pointer).
template <class Accumulate>
HWY_INLINE double Reduce(std::size_t count, Accumulate accumulate) {
  const auto whole = [](const double* from) HWY_ATTR { return LoadEight(from); };
  Eight sum[4] = {ZeroEight(), ZeroEight(), ZeroEight(), ZeroEight()};
  std::size_t i = 0;
  for (; i + 32 <= count; i += 32) {
    for (std::size_t group = 0; group < 4; ++group) sum[group] = accumulate(sum[group], i + 8 * group, whole);
  }
#pragma GCC unroll 3  // without this the sums would go through memory
  for (std::size_t group = 0; group < 3; ++group) {
    if (i + 8 > count) break;
    sum[group] = accumulate(sum[group], i, whole);
    i += 8;
  }
  if (i < count) {
    const std::size_t left = count - i;
    const auto first = [left](const double* from) HWY_ATTR { return LoadFirst(from, left); };
    sum[3] = accumulate(sum[3], i, first);
  }
  return SumLanes(AddEight(AddEight(sum[0], sum[1]), AddEight(sum[2], sum[3])));
}

HWY_INLINE double DotOf(const double* x, const double* y, std::size_t count) {
  return Reduce(count, [x, y](const Eight& sum, std::size_t i, auto load)
                           HWY_ATTR { return MulAddEight(load(x + i), load(y + i), sum); });
}

}  // namespace HWY_NAMESPACE
}  // namespace pollen::math
HWY_AFTER_NAMESPACE();

#endif  // include guard, toggled for each target
