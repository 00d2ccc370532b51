// Products of weights and activations. The register tiles are weights × lanes, and every weight is broadcast once. Each
// sum runs in the order of its terms whatever the tile, so its bits do not depend on the other rows.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lean/dense.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
//
#include <algorithm>

#include "hwy/highway.h"
#include "lean/kernels.h"
#include "lean/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pollen::lean {
namespace HWY_NAMESPACE {

// Multiplies kOut units by kWidth vectors of lanes.
template <Index kOut, Index kWidth>
HWY_INLINE void MultiplyTile(const Product& p, const float* HWY_RESTRICT a, float* HWY_RESTRICT z, Index stride) {
  V sum[kOut][kWidth];
  for (Index o = 0; o < kOut; ++o)
    for (Index v = 0; v < kWidth; ++v) sum[o][v] = LoadLanes(z + o * stride + v * kVector);
  const float* w = p.w;
  for (Index i = 0; i < p.in; ++i, w += p.w_in, a += stride) {
    V x[kWidth];
    for (Index v = 0; v < kWidth; ++v) x[v] = LoadLanes(a + v * kVector);
    for (Index o = 0; o < kOut; ++o) {
      const V weight = hn::Set(D(), w[o * p.w_out]);
      for (Index v = 0; v < kWidth; ++v) sum[o][v] = hn::MulAdd(weight, x[v], sum[o][v]);
    }
  }
  for (Index o = 0; o < kOut; ++o)
    for (Index v = 0; v < kWidth; ++v) StoreLanes(sum[o][v], z + o * stride + v * kVector);
}

template <Index kOut, Index kWidth>
HWY_INLINE void MultiplyUnits(Product& p, const float* a, float*& z, Index stride) {
  for (; p.out >= kOut; p.out -= kOut, p.w += kOut * p.w_out, z += kOut * stride)
    MultiplyTile<kOut, kWidth>(p, a, z, stride);
}

template <Index kOut, Index kWidth>
void MultiplyAllUnits(Product p, const float* a, float* z, Index stride) {
  MultiplyUnits<kOut, kWidth>(p, a, z, stride);
  MultiplyUnits<2, kWidth>(p, a, z, stride);
  MultiplyUnits<1, kWidth>(p, a, z, stride);
}

void MultiplySlice(const Product& p, const float* a, float* z, Index stride) {
  Index l = 0;
  if constexpr (kWide) {
    for (; l + 4 * kVector <= stride; l += 4 * kVector) MultiplyAllUnits<6, 4>(p, a + l, z + l, stride);
    for (; l + 2 * kVector <= stride; l += 2 * kVector) MultiplyAllUnits<12, 2>(p, a + l, z + l, stride);
    if (l < stride) MultiplyAllUnits<16, 1>(p, a + l, z + l, stride);
  } else {
    for (; l < stride; l += 2 * kVector) MultiplyAllUnits<6, 2>(p, a + l, z + l, stride);
  }
}

// Works in slices of the inputs whose activations stay in the first-level cache.
void MultiplyAdd(const Product& p, const float* a, float* z, Index stride) {
  constexpr Index kSlice = 112;
  for (Index i = 0; i < p.in; i += kSlice) {
    const Product slice{p.w + i * p.w_in, p.w_out, p.w_in, p.out, std::min(kSlice, p.in - i)};
    MultiplySlice(slice, a + i * stride, z, stride);
  }
}

// Adds outer products for kOut units × kWidth vectors of inputs from i on; the last vector of a row may be short.
template <Index kOut, Index kWidth, class Load, class Store>
HWY_INLINE void OuterTile(const Outer& p, Index i, float* g, Load load, Store store) {
  V sum[kOut][kWidth];
  for (Index o = 0; o < kOut; ++o)
    for (Index v = 0; v < kWidth; ++v) sum[o][v] = load(g + o * p.in + i + v * kVector);
  const float* delta = p.delta;
  for (Index l = 0; l < p.rows; ++l, ++delta) {
    const float* x = p.x[l] + i;
    V part[kWidth];
    for (Index v = 0; v < kWidth; ++v) part[v] = LoadLanes(x + v * kVector);
    for (Index o = 0; o < kOut; ++o) {
      const V factor = hn::Set(D(), delta[o * p.stride]);
      for (Index v = 0; v < kWidth; ++v) sum[o][v] = hn::MulAdd(factor, part[v], sum[o][v]);
    }
  }
  for (Index o = 0; o < kOut; ++o)
    for (Index v = 0; v < kWidth; ++v) store(sum[o][v], g + o * p.in + i + v * kVector);
}

template <Index kOut, Index kWidth>
HWY_INLINE void OuterUnits(Outer& p, Index i, float*& g) {
  const auto load = [](const float* from) HWY_ATTR { return LoadLanes(from); };
  const auto store = [](V v, float* to) HWY_ATTR { StoreLanes(v, to); };
  for (; p.out >= kOut; p.out -= kOut, p.delta += kOut * p.stride, g += kOut * p.in)
    OuterTile<kOut, kWidth>(p, i, g, load, store);
}

template <Index kOut, Index kWidth>
void OuterAllUnits(Outer p, Index i, float* g) {
  OuterUnits<kOut, kWidth>(p, i, g);
  OuterUnits<2, kWidth>(p, i, g);
  OuterUnits<1, kWidth>(p, i, g);
}

void OuterLast(Outer p, Index i, float* g) {
  const auto mask = hn::FirstN(D(), static_cast<std::size_t>(p.in - i));
  const auto load = [mask](const float* from) HWY_ATTR { return hn::MaskedLoad(mask, D(), from); };
  const auto store = [mask](V v, float* to) HWY_ATTR { hn::BlendedStore(v, mask, D(), to); };
  constexpr Index kOut = kWide ? 16 : 8;
  for (; p.out >= kOut; p.out -= kOut, p.delta += kOut * p.stride, g += kOut * p.in)
    OuterTile<kOut, 1>(p, i, g, load, store);
  for (; p.out > 0; --p.out, p.delta += p.stride, g += p.in) OuterTile<1, 1>(p, i, g, load, store);
}

void OuterAdd(const Outer& p, float* g) {
  Index i = 0;
  if constexpr (kWide) {
    for (; i + 4 * kVector <= p.in; i += 4 * kVector) OuterAllUnits<6, 4>(p, i, g);
  }
  for (; i + 2 * kVector <= p.in; i += 2 * kVector) OuterAllUnits<kWide ? 12 : 6, 2>(p, i, g);
  for (; i + kVector <= p.in; i += kVector) OuterAllUnits<kWide ? 16 : 8, 1>(p, i, g);
  if (i < p.in) OuterLast(p, i, g);
}

}  // namespace HWY_NAMESPACE
}  // namespace pollen::lean
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pollen::lean {

HWY_EXPORT(MultiplyAdd);
HWY_EXPORT(OuterAdd);

void multiply_add(const Product& product, const float* a, float* z, Index stride) {
  HWY_DYNAMIC_DISPATCH(MultiplyAdd)(product, a, z, stride);
}

void outer_add(const Outer& product, float* g) { HWY_DYNAMIC_DISPATCH(OuterAdd)(product, g); }

}  // namespace pollen::lean
#endif  // HWY_ONCE
