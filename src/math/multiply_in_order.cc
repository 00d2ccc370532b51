// The transposed product g(j, m) += Σ_r X(r, j) residual(r, m). Every entry (j, m) starts from g and takes one fused
// multiply-add per row, in row order. Its bits depend neither on the tile, nor on the vector width, nor on how the rows
// are divided among calls. The product out(:, c) = A x(:, c) - offset for a symmetric A is computed alike: every entry
// starts at -offset and takes one fused multiply-add per column of A, in order, and nothing is summed across lanes.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "multiply_in_order.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
//
#include <algorithm>

#include "arguments.h"
#include "hwy/highway.h"
#include "math/lanes-inl.h"
#include "math/math.h"

HWY_BEFORE_NAMESPACE();
namespace pollen::math {
namespace HWY_NAMESPACE {

// Ways to read and write vectors of features: whole vectors, and a last vector that is only partly filled.
struct WholeVectors {
  HWY_INLINE V Load(const double* from) const { return hn::LoadU(D(), from); }
  HWY_INLINE void Store(V v, double* to) const { hn::StoreU(v, D(), to); }
};

struct PartVector {
  Mask mask;
  HWY_INLINE V Load(const double* from) const { return hn::MaskedLoad(mask, D(), from); }
  HWY_INLINE void Store(V v, double* to) const { hn::BlendedStore(v, mask, D(), to); }
};

// Handles a single column: kRows rows at a time are added to g, which stays in the first-level cache while the rows
// stream past.
template <std::size_t kRows, class Rows>
HWY_INLINE void AddRows(const Rows& rows, Index r, const Columns& at, Index features) {
  const double* row[kRows];
  V weight[kRows];
  for (std::size_t i = 0; i < kRows; ++i) {
    row[i] = rows(r + static_cast<Index>(i));
    weight[i] = hn::Set(D(), at.in[r + static_cast<Index>(i)]);
  }
  const auto update = [&](Index j, const auto& access) HWY_ATTR {
    V g = access.Load(at.out + j);
    for (std::size_t i = 0; i < kRows; ++i) g = hn::MulAdd(access.Load(row[i] + j), weight[i], g);
    access.Store(g, at.out + j);
  };
  Index j = 0;
  for (; j + static_cast<Index>(kLanes) <= features; j += kLanes) update(j, WholeVectors{});
  if (j < features) update(j, PartVector{hn::FirstN(D(), static_cast<std::size_t>(features - j))});
}

template <class Rows>
HWY_INLINE void AddToOneColumn(const Rows& rows, const Columns& at, const ProductSize& size) {
  Index r = 0;
  for (; r + 8 <= size.rows; r += 8) AddRows<8>(rows, r, at, size.features);
  for (; r + 2 <= size.rows; r += 2) AddRows<2>(rows, r, at, size.features);
  if (r < size.rows) AddRows<1>(rows, r, at, size.features);
}

struct RowRange {
  Index first;
  Index last;
};

// Keeps kVectors vectors of features from j on, for kColumns columns, in registers while the rows of the range pass.
template <std::size_t kVectors, std::size_t kColumns, class Rows, class Access>
HWY_INLINE void AddTile(const Rows& rows, RowRange range, Index j, const Columns& at, const Access& access) {
  V g[kColumns][kVectors];
  const auto for_each = [&](auto action) HWY_ATTR {
    for (std::size_t c = 0; c < kColumns; ++c) {
      double* column = at.out + static_cast<Index>(c) * at.out_stride + j;
      for (std::size_t v = 0; v < kVectors; ++v) action(g[c][v], column + v * kLanes);
    }
  };
  for_each([&](V& sum, double* from) HWY_ATTR { sum = access.Load(from); });
  for (Index r = range.first; r < range.last; ++r) {
    const double* row = rows(r) + j;
    V x[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) x[v] = access.Load(row + v * kLanes);
    for (std::size_t c = 0; c < kColumns; ++c) {
      const V weight = hn::Set(D(), at.in[static_cast<Index>(c) * at.in_stride + r]);
      for (std::size_t v = 0; v < kVectors; ++v) g[c][v] = hn::MulAdd(x[v], weight, g[c][v]);
    }
  }
  for_each([&](V& sum, double* to) HWY_ATTR { access.Store(sum, to); });
}

inline constexpr std::size_t kWideVectors = kParts == 1 ? 4 : 3;
// Together with the vectors above, these fill the registers.
inline constexpr std::size_t kWideColumns = kParts == 1 ? 6 : 4;

template <std::size_t kVectors, class Rows, class Access>
HWY_INLINE void AddColumns(const Rows& rows, RowRange range, Index j, Columns at, Index columns, const Access& access) {
  constexpr auto kWide = static_cast<Index>(kWideColumns);
  while (columns >= kWide) {
    AddTile<kVectors, kWideColumns>(rows, range, j, at, access);
    at.advance(kWide);
    columns -= kWide;
  }
  if (kWide > 4 && columns >= 4) {
    AddTile<kVectors, 4>(rows, range, j, at, access);
    at.advance(4);
    columns -= 4;
  }
  if (columns >= 2) {
    AddTile<kVectors, 2>(rows, range, j, at, access);
    at.advance(2);
    columns -= 2;
  }
  if (columns == 1) AddTile<kVectors, 1>(rows, range, j, at, access);
}

template <class Rows>
HWY_INLINE void AddToColumns(const Rows& rows, const Columns& at, const ProductSize& size) {
  // The features of a tile for this many rows stay in the first-level cache for all columns.
  constexpr Index kRowBlock = 64;
  constexpr auto kWide = static_cast<Index>(kWideVectors * kLanes);
  constexpr auto kOne = static_cast<Index>(kLanes);
  for (Index first = 0; first < size.rows; first += kRowBlock) {
    const RowRange range{first, std::min(first + kRowBlock, size.rows)};
    Index j = 0;
    const WholeVectors whole;
    for (; j + kWide <= size.features; j += kWide) {
      AddColumns<kWideVectors>(rows, range, j, at, size.columns, whole);
    }
    for (; j + 2 * kOne <= size.features; j += 2 * kOne) AddColumns<2>(rows, range, j, at, size.columns, whole);
    for (; j + kOne <= size.features; j += kOne) AddColumns<1>(rows, range, j, at, size.columns, whole);
    if (j < size.features) {
      const PartVector part{hn::FirstN(D(), static_cast<std::size_t>(size.features - j))};
      AddColumns<1>(rows, range, j, at, size.columns, part);
    }
  }
}

template <class Rows>
HWY_INLINE void AddProduct(const Rows& rows, const Columns& at, const ProductSize& size) {
  if (size.columns == 1) {
    AddToOneColumn(rows, at, size);
  } else {
    AddToColumns(rows, at, size);
  }
}

void AddProductAll(const AllRows& rows, const Columns& at, const ProductSize& size) { AddProduct(rows, at, size); }
void AddProductChosen(const ChosenRows& rows, const Columns& at, const ProductSize& size) {
  AddProduct(rows, at, size);
}

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

HWY_EXPORT(AddProductAll);
HWY_EXPORT(AddProductChosen);
HWY_EXPORT(SymmetricAll);

void multiply_transposed_add(const RowsView& x, ConstPanelView residual, PanelView g) {
  HWY_DYNAMIC_DISPATCH(AddProductAll)
  ({x.data, x.stride}, {residual.data, residual.stride, g.data, g.stride}, {x.rows, x.columns, residual.columns});
}

void multiply_transposed_add(const RowsView& x, std::span<const std::uint32_t> rows, ConstPanelView residual,
                             PanelView g) {
  HWY_DYNAMIC_DISPATCH(AddProductChosen)
  ({x.data, x.stride, rows.data()}, {residual.data, residual.stride, g.data, g.stride},
   {static_cast<Index>(rows.size()), x.columns, residual.columns});
}

void multiply_symmetric(const SymmetricView& a, const ConstPanelView& x, const PanelView& out) {
  HWY_DYNAMIC_DISPATCH(SymmetricAll)(a, x, out);
}

}  // namespace pollen::math
#endif  // HWY_ONCE
