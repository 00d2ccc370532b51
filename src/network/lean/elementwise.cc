// Copies between rows and lanes, sums over lanes, the small passes over matrices of lanes, and activations and the
// cross-entropy loss from Highway's exp, log and tanh (a few ulp) with correct handling of NaN.
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

void TransposeGroup(const float* const* rows, Index columns, float* to, Index to_stride) {
  const D4 d4;
  for (Index r = 0; r < kGroup; r += 4) {
    float* out = to + r;
    for (Index j = 0; j < columns; j += 4, out += 4 * to_stride) {
      V4 a = hn::LoadU(d4, rows[r] + j), b = hn::LoadU(d4, rows[r + 1] + j);
      V4 c = hn::LoadU(d4, rows[r + 2] + j), d = hn::LoadU(d4, rows[r + 3] + j);
      Transpose4(a, b, c, d);
      hn::StoreU(a, d4, out);
      hn::StoreU(b, d4, out + to_stride);
      hn::StoreU(c, d4, out + 2 * to_stride);
      hn::StoreU(d, d4, out + 3 * to_stride);
    }
  }
}

void FillUnits(const float* value, Index units, Index stride, float* v) {
  for (Index u = 0; u < units; ++u)
    for (Index l = 0; l < stride; l += kVector) StoreLanes(hn::Set(D(), value[u]), v + u * stride + l);
}

// Sums four units at once: first the lanes with equal l mod 4, then these four as (0 + 2) + (1 + 3).
void SumLanes(const float* v, Index units, Index stride, const float* factor, float* sum) {
  const D4 d4;
  for (Index u = 0; u < units; u += 4) {
    V4 s[4];
    for (Index i = 0; i < 4; ++i) {
      const float* from = v + (u + i) * stride;
      s[i] = hn::Zero(d4);
      for (Index l = 0; l < stride; l += 4) s[i] = hn::MulAdd(hn::LoadU(d4, from + l), hn::LoadU(d4, factor + l), s[i]);
    }
    Transpose4(s[0], s[1], s[2], s[3]);
    float four[4];
    hn::StoreU(hn::Add(hn::Add(s[0], s[2]), hn::Add(s[1], s[3])), d4, four);
    for (Index i = 0; i < std::min<Index>(4, units - u); ++i) sum[u + i] += four[i];
  }
}

void SquareUnits(const float* v, Index units, Index stride, float* square) {
  for (Index l = 0; l < stride; l += kVector) {
    V sum = hn::Zero(D());
    for (Index u = 0; u < units; ++u) {
      const V x = LoadLanes(v + u * stride + l);
      sum = hn::MulAdd(x, x, sum);
    }
    StoreLanes(sum, square + l);
  }
}

void ScaleLanes(float* v, Index units, Index stride, const float* factor) {
  for (Index l = 0; l < stride; l += kVector) {
    const V f = LoadLanes(factor + l);
    for (Index u = 0; u < units; ++u) {
      float* at = v + u * stride + l;
      StoreLanes(hn::Mul(f, LoadLanes(at)), at);
    }
  }
}

void Flush(float* part, Index count, double* total) {
  const hn::CappedTag<double, 4> d;
  const hn::Rebind<float, decltype(d)> half;
  Index i = 0;
  for (; i + 4 <= count; i += 4) {
    hn::StoreU(hn::Add(hn::LoadU(d, total + i), hn::PromoteTo(d, hn::LoadU(half, part + i))), d, total + i);
    hn::StoreU(hn::Zero(half), half, part + i);
  }
  for (; i < count; ++i) {
    total[i] += static_cast<double>(part[i]);
    part[i] = 0;
  }
}

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

HWY_EXPORT(TransposeGroup);
HWY_EXPORT(FillUnits);
HWY_EXPORT(SumLanes);
HWY_EXPORT(SquareUnits);
HWY_EXPORT(ScaleLanes);
HWY_EXPORT(Flush);
HWY_EXPORT(Activate);
HWY_EXPORT(Chain);
HWY_EXPORT(CrossEntropy);

void transpose_group(const float* const* rows, Index columns, float* to, Index to_stride) {
  HWY_DYNAMIC_DISPATCH(TransposeGroup)(rows, columns, to, to_stride);
}
void fill_units(const float* value, Index units, Index stride, float* v) {
  HWY_DYNAMIC_DISPATCH(FillUnits)(value, units, stride, v);
}
void sum_lanes(const float* v, Index units, Index stride, const float* factor, float* sum) {
  HWY_DYNAMIC_DISPATCH(SumLanes)(v, units, stride, factor, sum);
}
void square_units(const float* v, Index units, Index stride, float* square) {
  HWY_DYNAMIC_DISPATCH(SquareUnits)(v, units, stride, square);
}
void scale_lanes(float* v, Index units, Index stride, const float* factor) {
  HWY_DYNAMIC_DISPATCH(ScaleLanes)(v, units, stride, factor);
}
void flush(float* part, Index count, double* total) { HWY_DYNAMIC_DISPATCH(Flush)(part, count, total); }
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
