// Sixteen images side by side, compiled once per target: one AVX-512 vector or two AVX2 vectors of floats. Every image
// keeps its lane from input to loss, and sums over lanes run by quarters of four, so both targets give the same bits.
#if defined(POLLEN_NETWORK_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POLLEN_NETWORK_LANES_INL_H_
#undef POLLEN_NETWORK_LANES_INL_H_
#else
#define POLLEN_NETWORK_LANES_INL_H_
#endif

#include "hwy/highway.h"
#include "lean/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace pollen::lean {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
using D4 = hn::CappedTag<float, 4>;
using V4 = hn::Vec<D4>;

inline constexpr Index kVector = HWY_LANES(float);
inline constexpr Index kParts = kGroup / kVector;  // number of vectors that make up the sixteen lanes
inline constexpr bool kWide = kParts == 1;         // true: 32 registers of 16 floats; false: 16 registers of 8
static_assert(kParts == 1 || kParts == 2, "the targets are AVX2 and AVX-512");

HWY_INLINE V LoadLanes(const float* from) { return hn::LoadU(D(), from); }
HWY_INLINE void StoreLanes(V v, float* to) { hn::StoreU(v, D(), to); }

// max(x, 0) that keeps NaN, so that a chain that has diverged can be noticed.
HWY_INLINE V Rectified(V x) { return hn::IfThenZeroElse(hn::Le(x, hn::Zero(D())), x); }

// Transposes four rows into four columns.
HWY_INLINE void Transpose4(V4& a, V4& b, V4& c, V4& d) {
  const D4 d4;
  const V4 ac_low = hn::InterleaveLower(d4, a, c), ac_high = hn::InterleaveUpper(d4, a, c);
  const V4 bd_low = hn::InterleaveLower(d4, b, d), bd_high = hn::InterleaveUpper(d4, b, d);
  a = hn::InterleaveLower(d4, ac_low, bd_low);
  b = hn::InterleaveUpper(d4, ac_low, bd_low);
  c = hn::InterleaveLower(d4, ac_high, bd_high);
  d = hn::InterleaveUpper(d4, ac_high, bd_high);
}

}  // namespace HWY_NAMESPACE
}  // namespace pollen::lean
HWY_AFTER_NAMESPACE();

#endif  // include guard, toggled for each target
