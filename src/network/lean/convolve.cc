// The forward pass of LeNet-5's convolutions with ReLU and pooling. A register tile holds some channels of the four
// positions that are pooled into one, so the output of a convolution never goes through memory.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lean/convolve.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
//
#include "hwy/highway.h"
#include "lean/kernels.h"
#include "lean/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace pollen::lean {
namespace HWY_NAMESPACE {

// Takes the first of the largest values, as PyTorch does, and then applies ReLU, which commutes with a maximum.
HWY_INLINE void Pool(V a, V b, V c, V d, float* pooled, std::uint8_t* which) {
  const hn::RebindToSigned<D> di;
  const hn::Rebind<std::uint8_t, D> du8;
  const auto keep_a = hn::Le(b, a), keep_c = hn::Le(d, c);
  const V top = hn::IfThenElse(keep_a, a, b), bottom = hn::IfThenElse(keep_c, c, d);
  const auto keep_top = hn::Le(bottom, top);
  const auto one = hn::Set(di, 1);
  const auto top_code = hn::IfThenZeroElse(hn::RebindMask(di, keep_a), one);
  const auto bottom_code = hn::IfThenElse(hn::RebindMask(di, keep_c), hn::Set(di, 2), hn::Set(di, 3));
  const auto code = hn::IfThenElse(hn::RebindMask(di, keep_top), top_code, bottom_code);
  StoreLanes(Rectified(hn::IfThenElse(keep_top, top, bottom)), pooled);
  hn::StoreU(hn::DemoteTo(du8, code), du8, which);
}

// Computes kOut channels of one pooled position. x points to the corner of its 6 × 6 patch in the first input channel.
template <Index kIn, Index kSize, Index kOut>
HWY_INLINE void Window(const float* HWY_RESTRICT x, const float* HWY_RESTRICT w, const float* bias, V (&sum)[kOut][4]) {
  for (Index o = 0; o < kOut; ++o)
    for (Index p = 0; p < 4; ++p) sum[o][p] = hn::Set(D(), bias[o]);
  for (Index c = 0; c < kIn; ++c) {
    for (Index row = 0; row < 5; ++row) {
      const float* from = x + (c * kSize + row) * kSize * kGroup;
      const float* weight = w + c * 25 + row * 5;
#pragma GCC unroll 5
      for (Index column = 0; column < 5; ++column) {
        const float* at = from + column * kGroup;
        const V part[4] = {LoadLanes(at), LoadLanes(at + kGroup), LoadLanes(at + kSize * kGroup),
                           LoadLanes(at + (kSize + 1) * kGroup)};
        for (Index o = 0; o < kOut; ++o) {
          const V factor = hn::Set(D(), weight[o * kIn * 25 + column]);
          for (Index p = 0; p < 4; ++p) sum[o][p] = hn::MulAdd(factor, part[p], sum[o][p]);
        }
      }
    }
  }
}

template <Index kIn, Index kSize, Index kAllOut, Index kOut>
HWY_INLINE void Convolve(const float* x, const float* w, const float* bias, float* pooled, Index stride,
                         std::uint8_t* which) {
  constexpr Index kPooled = (kSize - 4) / 2;
  for (Index row = 0; row < kPooled; ++row) {
    for (Index column = 0; column < kPooled; ++column) {
      const float* corner = x + (2 * row * kSize + 2 * column) * kGroup;
      for (Index o = 0; o < kAllOut; o += kOut) {
        const Index unit = (o * kPooled + row) * kPooled + column;
        for (Index lane = 0; lane < kGroup; lane += kVector) {
          V sum[kOut][4];
          Window<kIn, kSize, kOut>(corner + lane, w + o * kIn * 25, bias + o, sum);
          for (Index i = 0; i < kOut; ++i) {
            const Index u = unit + i * kPooled * kPooled;
            Pool(sum[i][0], sum[i][1], sum[i][2], sum[i][3], pooled + u * stride + lane, which + u * kGroup + lane);
          }
        }
      }
    }
  }
}

void ConvolveFirst(const float* x, const float* w, const float* bias, float* pooled, Index stride,
                   std::uint8_t* which) {
  Convolve<kFirst.in, kFirst.size, kFirst.out, kWide ? 6 : 3>(x, w, bias, pooled, stride, which);
}

void ConvolveSecond(const float* x, const float* w, const float* bias, float* pooled, Index stride,
                    std::uint8_t* which) {
  Convolve<kSecond.in, kSecond.size, kSecond.out, kWide ? 4 : 2>(x, w, bias, pooled, stride, which);
}

}  // namespace HWY_NAMESPACE
}  // namespace pollen::lean
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pollen::lean {

HWY_EXPORT(ConvolveFirst);
HWY_EXPORT(ConvolveSecond);

void convolve_first(const float* x, const float* w, const float* bias, float* pooled, Index stride,
                    std::uint8_t* which) {
  HWY_DYNAMIC_DISPATCH(ConvolveFirst)(x, w, bias, pooled, stride, which);
}
void convolve_second(const float* x, const float* w, const float* bias, float* pooled, Index stride,
                     std::uint8_t* which) {
  HWY_DYNAMIC_DISPATCH(ConvolveSecond)(x, w, bias, pooled, stride, which);
}

}  // namespace pollen::lean
#endif  // HWY_ONCE
