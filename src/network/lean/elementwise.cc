// Activations and the cross-entropy loss, from Highway's exp, log and tanh (a few ulp) with correct handling of NaN.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lean/elementwise.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
//
#include <algorithm>
#include <limits>

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"
#include "lean/kernels.h"
#include "lean/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pollen::lean {
namespace HWY_NAMESPACE {

HWY_INLINE V OrNaN(V x, V y) {
  return hn::IfThenElse(hn::IsNaN(x), hn::Set(D(), std::numeric_limits<float>::quiet_NaN()), y);
}

// exp(x) for x ≤ 0 or NaN.
HWY_INLINE V ExpBelow(V x) { return OrNaN(x, hn::Exp(D(), x)); }

HWY_INLINE V Sigmoid(V x) {
  const V one = hn::Set(D(), 1.0f);
  const V e = ExpBelow(hn::Neg(hn::Abs(x)));
  return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(D())), e, one), hn::Add(one, e));
}

// In float, tanh is ±1 from 9.1 on, and Highway's version would overflow on its way beyond 44.
HWY_INLINE V Tanh(V x) {
  const V most = hn::Set(D(), 10.0f);
  return OrNaN(x, hn::Tanh(D(), hn::Max(hn::Min(x, most), hn::Neg(most))));
}

void Activate(Activation kind, float* z, float* slope, Index count) {
  const V one = hn::Set(D(), 1.0f);
  for (Index i = 0; i < count; i += kVector) {
    const V x = LoadLanes(z + i);
    if (kind == Activation::relu) {
      StoreLanes(Rectified(x), z + i);
    } else if (kind == Activation::tanh) {
      StoreLanes(Tanh(x), z + i);
    } else {
      const V s = Sigmoid(x);
      const V y = hn::Mul(x, s);
      StoreLanes(y, z + i);
      StoreLanes(hn::MulAdd(y, hn::Sub(one, s), s), slope + i);
    }
  }
}

void Chain(Activation kind, const float* a, const float* slope, float* delta, Index count) {
  for (Index i = 0; i < count; i += kVector) {
    const V d = LoadLanes(delta + i);
    const V x = LoadLanes(a + i);
    if (kind == Activation::relu) {
      StoreLanes(hn::IfThenZeroElse(hn::Le(x, hn::Zero(D())), d), delta + i);
    } else if (kind == Activation::tanh) {
      StoreLanes(hn::Mul(d, hn::NegMulAdd(x, x, hn::Set(D(), 1.0f))), delta + i);
    } else {
      StoreLanes(hn::Mul(d, LoadLanes(slope + i)), delta + i);
    }
  }
}

// Handles one vector of lanes, of which the first `rows` count.
HWY_INLINE void CrossEntropyLanes(float* z, Index classes, Index stride, V y, Index rows, float* loss) {
  V top = LoadLanes(z);
  for (Index k = 1; k < classes; ++k) top = hn::Max(top, LoadLanes(z + k * stride));
  V sum = hn::Zero(D()), own = hn::Zero(D());
  for (Index k = 0; k < classes; ++k) {
    const V x = hn::Sub(LoadLanes(z + k * stride), top);
    const V e = ExpBelow(x);
    own = hn::IfThenElse(hn::Eq(y, hn::Set(D(), static_cast<float>(k))), x, own);
    sum = hn::Add(sum, e);
    StoreLanes(e, z + k * stride);
  }
  StoreLanes(hn::Sub(OrNaN(sum, hn::Log(D(), sum)), own), loss);
  const auto real = hn::FirstN(D(), static_cast<std::size_t>(std::clamp<Index>(rows, 0, kVector)));
  const V one = hn::Set(D(), 1.0f);
  for (Index k = 0; k < classes; ++k) {
    const V p = hn::Div(LoadLanes(z + k * stride), sum);
    const V d = hn::IfThenElse(hn::Eq(y, hn::Set(D(), static_cast<float>(k))), hn::Sub(p, one), p);
    StoreLanes(hn::IfThenElseZero(real, d), z + k * stride);
  }
}

void CrossEntropy(float* z, Index classes, Index stride, const float* y, Index rows, float* loss) {
  for (Index l = 0; l < stride; l += kVector)
    CrossEntropyLanes(z + l, classes, stride, LoadLanes(y + l), rows - l, loss + l);
}

}  // namespace HWY_NAMESPACE
}  // namespace pollen::lean
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pollen::lean {

HWY_EXPORT(Activate);
HWY_EXPORT(Chain);
HWY_EXPORT(CrossEntropy);

void activate(Activation kind, float* z, float* slope, Index count) {
  HWY_DYNAMIC_DISPATCH(Activate)(kind, z, slope, count);
}
void chain(Activation kind, const float* a, const float* slope, float* delta, Index count) {
  HWY_DYNAMIC_DISPATCH(Chain)(kind, a, slope, delta, count);
}
void cross_entropy(float* z, Index classes, Index stride, const float* y, Index rows, float* loss) {
  HWY_DYNAMIC_DISPATCH(CrossEntropy)(z, classes, stride, y, rows, loss);
}

}  // namespace pollen::lean
#endif  // HWY_ONCE
