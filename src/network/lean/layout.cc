// Copies between rows and lanes, sums over lanes, and the small passes over matrices of lanes.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lean/layout.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
//
#include <algorithm>

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

}  // namespace pollen::lean
#endif  // HWY_ONCE
