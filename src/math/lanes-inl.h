// Eight logical lanes of doubles, compiled once for each target: one AVX-512 vector or two AVX2 vectors. Sums that keep
// these lanes and add them by SumLanes have the same bits on both.
#if defined(POLLEN_MATH_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POLLEN_MATH_LANES_INL_H_
#undef POLLEN_MATH_LANES_INL_H_
#else
#define POLLEN_MATH_LANES_INL_H_
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
inline constexpr std::size_t kParts = 8 / kLanes;  // vectors that make the eight lanes
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

// The mask of part p when only the first `count` of eight lanes are there.
HWY_INLINE Mask PartMask(std::size_t count, std::size_t p) {
  return hn::FirstN(D(), count > p * kLanes ? count - p * kLanes : 0);
}

// The first `count` of eight, zeros after them; memory past them is not read.
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

// Lane l plus lane l + 4. A template only so that the other target's branch is not compiled.
template <class Lanes>
HWY_INLINE V4 FoldToFour(const Lanes& a) {
  if constexpr (kParts == 1) {
    return hn::Add(hn::LowerHalf(D4(), a.part[0]), hn::UpperHalf(D4(), a.part[0]));
  } else {
    return hn::Add(a.part[0], a.part[kParts - 1]);
  }
}

// The sums (l0 + l1) + (l2 + l3) of four vectors, in order.
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

}  // namespace HWY_NAMESPACE
}  // namespace pollen::math
HWY_AFTER_NAMESPACE();

#endif  // include guard, toggled for each target
