// LeNet-5's convolutions with ReLU and pooling, forward and backward. In the forward pass a register tile holds some
// channels of the four positions that are pooled into one, so the output of a convolution never goes through memory.
// The backward pass computes the gradient of each image in the weights, and the gradient in the input of the second
// convolution.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lean/convolve.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
//
#include <algorithm>

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
HWY_INLINE void Convolve(const float* x, const float* w, float* pooled, Index stride, std::uint8_t* which) {
  constexpr Index kPooled = (kSize - 4) / 2;
  const float* bias = w + kAllOut * kIn * 25;
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

void ConvolveAny(const Convolution& shape, const float* x, const float* w, float* pooled, Index stride,
                 std::uint8_t* which) {
  if (shape.in == kFirst.in)
    Convolve<kFirst.in, kFirst.size, kFirst.out, kWide ? 6 : 3>(x, w, pooled, stride, which);
  else
    Convolve<kSecond.in, kSecond.size, kSecond.out, kWide ? 4 : 2>(x, w, pooled, stride, which);
}

void Rectify(const Convolution& shape, const float* pooled, Index pooled_stride, const float* delta, Index delta_stride,
             float* out, float* bias) {
  const Index positions = shape.pooled() * shape.pooled();
  for (Index lane = 0; lane < kGroup; lane += kVector) {
    for (Index o = 0; o < shape.out; ++o) {
      V sum = hn::Zero(D());
      for (Index u = o * positions; u < (o + 1) * positions; ++u) {
        const V a = LoadLanes(pooled + u * pooled_stride + lane);
        const V d = hn::IfThenZeroElse(hn::Le(a, hn::Zero(D())), LoadLanes(delta + u * delta_stride + lane));
        StoreLanes(d, out + u * kGroup + lane);
        sum = hn::Add(sum, d);
      }
      StoreLanes(sum, bias + o * kGroup + lane);
    }
  }
}

// Undoes the pooling of one row of pooled units into two rows: each value goes to the position of its maximum, and the
// other positions become zero.
template <Index kPooled>
HWY_INLINE void SpreadRow(const float* delta, const std::uint8_t* which, float* top) {
  const hn::RebindToSigned<D> di;
  const hn::Rebind<std::uint8_t, D> du8;
  float* bottom = top + 2 * kPooled * kGroup;
  for (Index i = 0; i < kPooled * kGroup; i += kVector) {
    const V d = LoadLanes(delta + i);
    const auto code = hn::PromoteTo(di, hn::LoadU(du8, which + i));
    const Index at = i / kGroup * 2 * kGroup + i % kGroup;
    const auto part = [&](int k)
                          HWY_ATTR { return hn::IfThenElseZero(hn::RebindMask(D(), hn::Eq(code, hn::Set(di, k))), d); };
    StoreLanes(part(0), top + at);
    StoreLanes(part(1), top + at + kGroup);
    StoreLanes(part(2), bottom + at);
    StoreLanes(part(3), bottom + at + kGroup);
  }
}

// Computes the gradient in kOut channels × 5 weights of one kernel row, over `rows` rows of kAcross positions. It is
// added to g, or replaces it if `fresh`. The channels of delta are delta_channel apart and its rows are contiguous; the
// rows of x are x_row apart.
template <Index kOut, Index kAcross>
HWY_INLINE void KernelRow(const float* HWY_RESTRICT delta, Index delta_channel, const float* HWY_RESTRICT x,
                          Index x_row, Index rows, float* HWY_RESTRICT g, Index g_channel, bool fresh) {
  V sum[kOut][5];
  for (Index o = 0; o < kOut; ++o)
    for (Index k = 0; k < 5; ++k) sum[o][k] = fresh ? hn::Zero(D()) : LoadLanes(g + o * g_channel + k * kGroup);
  for (Index row = 0; row < rows; ++row, x += x_row) {
    for (Index i = 0; i < kAcross; ++i, delta += kGroup) {
      V part[5];
      for (Index k = 0; k < 5; ++k) part[k] = LoadLanes(x + (i + k) * kGroup);
      for (Index o = 0; o < kOut; ++o) {
        const V d = LoadLanes(delta + o * delta_channel);
        for (Index k = 0; k < 5; ++k) sum[o][k] = hn::MulAdd(d, part[k], sum[o][k]);
      }
    }
  }
  for (Index o = 0; o < kOut; ++o)
    for (Index k = 0; k < 5; ++k) StoreLanes(sum[o][k], g + o * g_channel + k * kGroup);
}

// Takes two rows at a time, so that data read again for every kernel row stay in the first-level cache.
void WeightsFirst(const float* x, const float* delta, const std::uint8_t* which, float* spread, float* gradient) {
  constexpr Index kPooled = kFirst.pooled(), kAcross = kFirst.across(), kOut = kWide ? 3 : 2;
  for (Index row = 0; row < kPooled; ++row) {
    for (Index o = 0; o < kFirst.out; ++o) {
      const Index unit = (o * kPooled + row) * kPooled;
      SpreadRow<kPooled>(delta + unit * kGroup, which + unit * kGroup, spread + o * 2 * kAcross * kGroup);
    }
    for (Index o = 0; o < kFirst.out; o += kOut) {
      for (Index k = 0; k < 5; ++k) {
        for (Index lane = 0; lane < kGroup; lane += kVector)
          KernelRow<kOut, kAcross>(spread + o * 2 * kAcross * kGroup + lane, 2 * kAcross * kGroup,
                                   x + (2 * row + k) * kFirst.size * kGroup + lane, kFirst.size * kGroup, 2,
                                   gradient + (o * 25 + k * 5) * kGroup + lane, 25 * kGroup, row == 0);
      }
    }
  }
}

void WeightsSecond(const float* x, const float* delta, const std::uint8_t* which, float* spread, float* gradient) {
  constexpr Index kPooled = kSecond.pooled(), kAcross = kSecond.across(), kOut = kWide ? 4 : 2;
  constexpr Index kChannel = kAcross * kAcross * kGroup, kImage = kSecond.size * kSecond.size * kGroup;
  constexpr Index kWeights = kSecond.in * 25 * kGroup;
  for (Index unit = 0; unit < kSecond.out * kPooled; ++unit)
    SpreadRow<kPooled>(delta + unit * kPooled * kGroup, which + unit * kPooled * kGroup,
                       spread + unit * 2 * kAcross * kGroup);
  for (Index o = 0; o < kSecond.out; o += kOut) {
    for (Index c = 0; c < kSecond.in; ++c) {
      for (Index k = 0; k < 5; ++k) {
        for (Index lane = 0; lane < kGroup; lane += kVector)
          KernelRow<kOut, kAcross>(spread + o * kChannel + lane, kChannel,
                                   x + c * kImage + k * kSecond.size * kGroup + lane, kSecond.size * kGroup, kAcross,
                                   gradient + o * kWeights + (c * 25 + k * 5) * kGroup + lane, kWeights, true);
      }
    }
  }
}

// Adds one row of delta of one output channel, from position kAt on, to a row of kIn input channels held in registers.
// It is a recursion because an index known only at run time would force the registers into memory.
template <Index kIn, Index kAt = 0>
HWY_INLINE void AddRow(const float* HWY_RESTRICT delta, const float* HWY_RESTRICT w, V (&sum)[kIn][kSecond.size]) {
  if constexpr (kAt < kSecond.across()) {
    const V d = LoadLanes(delta + kAt * kGroup);
    for (Index k = 0; k < 5; ++k) {
      for (Index c = 0; c < kIn; ++c) sum[c][kAt + k] = hn::MulAdd(d, hn::Set(D(), w[c * 25 + k]), sum[c][kAt + k]);
    }
    AddRow<kIn, kAt + 1>(delta, w, sum);
  }
}

template <Index kIn>
HWY_INLINE void InputRow(const float* spread, const float* w, Index row, float* out) {
  constexpr Index kAcross = kSecond.across(), kSize = kSecond.size;
  V sum[kIn][kSize];
  for (Index c = 0; c < kIn; ++c)
    for (Index i = 0; i < kSize; ++i) sum[c][i] = hn::Zero(D());
  const Index first = std::max<Index>(0, row - (kAcross - 1)), last = std::min<Index>(4, row);
  for (Index o = 0; o < kSecond.out; ++o) {
    for (Index k = first; k <= last; ++k)
      AddRow<kIn>(spread + (o * kAcross + row - k) * kAcross * kGroup, w + o * kSecond.in * 25 + k * 5, sum);
  }
  for (Index c = 0; c < kIn; ++c)
    for (Index i = 0; i < kSize; ++i) StoreLanes(sum[c][i], out + (c * kSize * kSize + i) * kGroup);
}

void InputsSecond(const float* spread, const float* w, float* delta) {
  constexpr Index kIn = kWide ? 2 : 1, kSize = kSecond.size;
  for (Index c = 0; c < kSecond.in; c += kIn) {
    for (Index row = 0; row < kSize; ++row) {
      for (Index lane = 0; lane < kGroup; lane += kVector)
        InputRow<kIn>(spread + lane, w + c * 25, row, delta + (c * kSize + row) * kSize * kGroup + lane);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace pollen::lean
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pollen::lean {

HWY_EXPORT(ConvolveAny);
HWY_EXPORT(Rectify);
HWY_EXPORT(WeightsFirst);
HWY_EXPORT(WeightsSecond);
HWY_EXPORT(InputsSecond);

void convolve(const Convolution& shape, const float* x, const float* w, float* pooled, Index stride,
              std::uint8_t* which) {
  HWY_DYNAMIC_DISPATCH(ConvolveAny)(shape, x, w, pooled, stride, which);
}
void rectify(const Convolution& shape, const float* pooled, Index pooled_stride, const float* delta, Index delta_stride,
             float* out, float* bias) {
  HWY_DYNAMIC_DISPATCH(Rectify)(shape, pooled, pooled_stride, delta, delta_stride, out, bias);
}
void weights_first(const float* x, const float* delta, const std::uint8_t* which, float* spread, float* gradient) {
  HWY_DYNAMIC_DISPATCH(WeightsFirst)(x, delta, which, spread, gradient);
}
void weights_second(const float* x, const float* delta, const std::uint8_t* which, float* spread, float* gradient) {
  HWY_DYNAMIC_DISPATCH(WeightsSecond)(x, delta, which, spread, gradient);
}
void inputs_second(const float* spread, const float* w, float* delta) {
  HWY_DYNAMIC_DISPATCH(InputsSecond)(spread, w, delta);
}

}  // namespace pollen::lean
#endif  // HWY_ONCE
