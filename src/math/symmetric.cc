// The product out(:, c) = A x(:, c) - offset for a symmetric A. Every entry starts at -offset and takes one fused
// multiply-add per column of A, in order. Its bits depend neither on the tile nor on the vector width, and nothing is
// summed across lanes.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "symmetric.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
//
#include "arguments.h"
#include "hwy/highway.h"
#include "math/lanes-inl.h"
#include "math/math.h"

HWY_BEFORE_NAMESPACE();
namespace pollen::math {
namespace HWY_NAMESPACE {

// Computes kVectors vectors of rows, from `row` on, for kColumns columns.
template <std::size_t kVectors, std::size_t kColumns>
HWY_INLINE void SymmetricTile(const SymmetricView& in, Index row, const Columns& at) {
  V sum[kColumns][kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) {
    const auto i = row + static_cast<Index>(v * kLanes);
    const V start = in.offset == nullptr ? hn::Zero(D()) : hn::Neg(hn::LoadU(D(), in.offset + i));
    for (std::size_t c = 0; c < kColumns; ++c) sum[c][v] = start;
  }
  for (Index j = 0; j < in.size; ++j) {
    const double* column = in.data + j * in.stride + row;
    V a[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) a[v] = hn::LoadU(D(), column + v * kLanes);
    for (std::size_t c = 0; c < kColumns; ++c) {
      const V x = hn::Set(D(), at.in[static_cast<Index>(c) * at.in_stride + j]);
      for (std::size_t v = 0; v < kVectors; ++v) sum[c][v] = hn::MulAdd(a[v], x, sum[c][v]);
    }
  }
  for (std::size_t c = 0; c < kColumns; ++c) {
    double* to = at.out + static_cast<Index>(c) * at.out_stride;
    for (std::size_t v = 0; v < kVectors; ++v) {
      const auto i = row + static_cast<Index>(v * kLanes);
      const Index left = in.size - i;
      if (left >= static_cast<Index>(kLanes)) {
        hn::StoreU(sum[c][v], D(), to + i);
      } else if (left > 0) {
        hn::BlendedStore(sum[c][v], hn::FirstN(D(), static_cast<std::size_t>(left)), D(), to + i);
      }
    }
  }
}

template <std::size_t kVectors>
HWY_INLINE void SymmetricRows(const SymmetricView& in, Index row, Columns at, Index columns) {
  constexpr Index kWide = kParts == 1 ? 6 : 3;
  for (; columns >= kWide; columns -= kWide, at.advance(kWide)) SymmetricTile<kVectors, kWide>(in, row, at);
  for (; columns > 0; --columns, at.advance(1)) SymmetricTile<kVectors, 1>(in, row, at);
}

void SymmetricAll(const SymmetricView& in, const ConstPanelView& x, const PanelView& out) {
  const Columns at{x.data, x.stride, out.data, out.stride};
  constexpr auto kThree = static_cast<Index>(3 * kLanes), kOne = static_cast<Index>(kLanes);
  Index row = 0;
  for (; row + 2 * kOne < in.size; row += kThree) SymmetricRows<3>(in, row, at, x.columns);
  for (; row < in.size; row += kOne) SymmetricRows<1>(in, row, at, x.columns);
}

}  // namespace HWY_NAMESPACE
}  // namespace pollen::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pollen::math {

HWY_EXPORT(SymmetricAll);

void multiply_symmetric(const SymmetricView& a, const ConstPanelView& x, const PanelView& out) {
  HWY_DYNAMIC_DISPATCH(SymmetricAll)(a, x, out);
}

}  // namespace pollen::math
#endif  // HWY_ONCE
