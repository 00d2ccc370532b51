// The product z(r, m) = Σ_j X(r, j) θ(j, m). Every entry (r, m) keeps eight lanes over the features, takes fused
// multiply-adds in the order of j, and adds its lanes with FoldToFour and SumEachOfFour. The bits of an entry therefore
// depend on its row and column alone, not on the tile it falls in.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "multiply.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
//
#include "arguments.h"
#include "hwy/highway.h"
#include "math/lanes-inl.h"
#include "math/math.h"

HWY_BEFORE_NAMESPACE();
namespace pollen::math {
namespace HWY_NAMESPACE {

// The kRows × kColumns accumulators for one part of the eight lanes, summed over all features.
template <std::size_t kRows, std::size_t kColumns>
struct Tile {
  V sum[kRows][kColumns];

  HWY_INLINE void Clear() {
    for (auto& row : sum) {
      for (V& s : row) s = hn::Zero(D());
    }
  }

  // Adds the products of one vector of features, starting at feature j. load(pointer) reads one vector.
  template <class Load>
  HWY_INLINE void Accumulate(const double* const* rows, const double* theta, Index stride, Index j, Load load) {
    V t[kColumns];
    for (std::size_t c = 0; c < kColumns; ++c) t[c] = load(theta + static_cast<Index>(c) * stride + j);
    for (std::size_t r = 0; r < kRows; ++r) {
      const V x = load(rows[r] + j);
      for (std::size_t c = 0; c < kColumns; ++c) sum[r][c] = hn::MulAdd(x, t[c], sum[r][c]);
    }
  }
};

// Stores the sums of kRows ≤ 4 folded accumulators of one column.
template <std::size_t kRows>
HWY_INLINE void StoreSums(const V4 (&four)[4], double* z) {
  const D4 d4;
  const V4 sums = SumEachOfFour(four[0], four[1], four[2], four[3]);
  if constexpr (kRows == 4) {
    hn::StoreU(sums, d4, z);
  } else if constexpr (kRows == 2) {
    const hn::Half<D4> d2;
    hn::StoreU(hn::LowerHalf(d2, sums), d2, z);
  } else {
    *z = hn::GetLane(sums);
  }
}

// Adds up and stores the sums of the kGroup rows from r on in column c.
template <std::size_t kGroup, std::size_t kRows, std::size_t kColumns>
HWY_INLINE void FoldAndStore(const Tile<kRows, kColumns> (&tile)[kParts], std::size_t r, std::size_t c, double* to) {
  V4 four[4];
  for (std::size_t i = 0; i < 4; ++i) {
    Eight eight;
    for (std::size_t p = 0; p < kParts; ++p) eight.part[p] = tile[p].sum[r + (i < kGroup ? i : 0)][c];
    four[i] = FoldToFour(eight);
  }
  StoreSums<kGroup>(four, to);
}

// Computes one tile of the product. On AVX2 the two parts of the eight lanes take two passes over the tile's data,
// which lies in the first-level cache. With a single column the rows come from memory, so one pass keeps both parts
// (kOnePass).
template <std::size_t kRows, std::size_t kColumns, bool kOnePass>
HWY_INLINE void MultiplyTile(const double* const* rows, const Columns& at, Index features) {
  constexpr std::size_t kAtOnce = kOnePass ? kParts : 1;
  const Index whole = features / 8 * 8;
  const auto left = static_cast<std::size_t>(features - whole);
  const auto load = [](const double* from) HWY_ATTR { return hn::LoadU(D(), from); };
  Tile<kRows, kColumns> tile[kParts];
  for (std::size_t first = 0; first < kParts; first += kAtOnce) {
    for (std::size_t p = first; p < first + kAtOnce; ++p) tile[p].Clear();
    for (Index j = 0; j < whole; j += 8) {
      for (std::size_t p = first; p < first + kAtOnce; ++p) {
        tile[p].Accumulate(rows, at.in, at.in_stride, j + static_cast<Index>(p * kLanes), load);
      }
    }
    for (std::size_t p = first; p < first + kAtOnce; ++p) {
      if (left <= p * kLanes) break;
      const Mask mask = PartMask(left, p);
      const auto load_left = [mask](const double* from) HWY_ATTR { return hn::MaskedLoad(mask, D(), from); };
      tile[p].Accumulate(rows, at.in, at.in_stride, whole + static_cast<Index>(p * kLanes), load_left);
    }
  }
  for (std::size_t c = 0; c < kColumns; ++c) {
    double* to = at.out + static_cast<Index>(c) * at.out_stride;
    constexpr std::size_t kFours = kRows / 4 * 4;
    for (std::size_t r = 0; r < kFours; r += 4) FoldAndStore<4>(tile, r, c, to + r);
    if constexpr (kRows > kFours) FoldAndStore<kRows - kFours>(tile, kFours, c, to + kFours);
  }
}

// Fetches the rows of the next block, one slice per tile. With many columns the rows are read once in bursts, which the
// hardware prefetcher does not foresee; it does foresee long rows, so those are left to it.
template <class Rows>
class Prefetch {
 public:
  HWY_INLINE Prefetch(const Rows& rows, Index r, const ProductSize& size, Index block, Index tile)
      : rows_(rows),
        first_(r),
        count_(block),
        features_(size.features <= 512 && r + block <= size.rows ? size.features : 0),
        slice_((features_ * tile / HWY_MAX(size.columns, 1) + 8) / 8 * 8) {}
  HWY_INLINE void Slice() {
    const Index last = HWY_MIN(at_ + slice_, features_);
    for (; at_ < last; at_ += 8)
      for (Index i = 0; i < count_; ++i) __builtin_prefetch(rows_(first_ + i) + at_);
  }

 private:
  const Rows& rows_;
  Index first_, count_, features_, slice_, at_ = 0;
};

// Multiplies kRows rows by all columns.
template <std::size_t kRows, class Rows>
HWY_INLINE void MultiplyRows(const double* const* rows, Columns at, Index features, Index columns,
                             Prefetch<Rows> next) {
  constexpr Index kWidest = kParts == 1 ? 4 : 3;  // as many columns as the registers hold beside four rows
  // Four columns run as 2 + 2, which is faster than 3 + 1.
  while (columns >= kWidest && !(kWidest == 3 && columns == 4)) {
    next.Slice();
    MultiplyTile<kRows, kWidest, false>(rows, at, features);
    at.advance(kWidest);
    columns -= kWidest;
  }
  while (columns >= 2) {
    MultiplyTile<kRows, 2, false>(rows, at, features);
    at.advance(2);
    columns -= 2;
  }
  if (columns == 1) MultiplyTile<kRows, 1, true>(rows, at, features);
}

template <std::size_t kRows, class Rows>
HWY_INLINE void MultiplyBlock(const Rows& rows, Index r, const Columns& at, const ProductSize& size) {
  const double* pointers[kRows];
  for (std::size_t i = 0; i < kRows; ++i) pointers[i] = rows(r + static_cast<Index>(i));
  Columns here = at;
  here.out += r;
  if constexpr (kRows > 6) {
    MultiplyTile<kRows, 1, true>(pointers, here, size.features);
  } else {
    constexpr Index kBlock = kRows;
    const Prefetch<Rows> next(rows, r + kBlock, size, kBlock, 4);
    MultiplyRows<kRows>(pointers, here, size.features, size.columns, next);
  }
}

template <class Rows>
HWY_INLINE void MultiplyAny(const Rows& rows, const Columns& at, const ProductSize& size) {
  if (size.columns == 0) return;
  Index r = 0;
  if (kParts == 1 && size.columns == 1) {
    for (; r + 8 <= size.rows; r += 8) MultiplyBlock<8>(rows, r, at, size);
  }
  // More rows per load of θ pay off where features are so many that the final sums do not matter.
  if (kParts == 1 && size.features >= 64) {
    for (; r + 6 <= size.rows; r += 6) MultiplyBlock<6>(rows, r, at, size);
  }
  for (; r + 4 <= size.rows; r += 4) MultiplyBlock<4>(rows, r, at, size);
  for (; r + 2 <= size.rows; r += 2) MultiplyBlock<2>(rows, r, at, size);
  if (r < size.rows) MultiplyBlock<1>(rows, r, at, size);
}

void MultiplyAll(const AllRows& rows, const Columns& at, const ProductSize& size) { MultiplyAny(rows, at, size); }
void MultiplyChosen(const ChosenRows& rows, const Columns& at, const ProductSize& size) { MultiplyAny(rows, at, size); }

}  // namespace HWY_NAMESPACE
}  // namespace pollen::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pollen::math {

HWY_EXPORT(MultiplyAll);
HWY_EXPORT(MultiplyChosen);

void multiply(const RowsView& x, ConstPanelView theta, PanelView z) {
  HWY_DYNAMIC_DISPATCH(MultiplyAll)
  ({x.data, x.stride}, {theta.data, theta.stride, z.data, z.stride}, {x.rows, x.columns, theta.columns});
}

void multiply(const RowsView& x, std::span<const std::uint32_t> rows, ConstPanelView theta, PanelView z) {
  HWY_DYNAMIC_DISPATCH(MultiplyChosen)
  ({x.data, x.stride, rows.data()}, {theta.data, theta.stride, z.data, z.stride},
   {static_cast<Index>(rows.size()), x.columns, theta.columns});
}

}  // namespace pollen::math
#endif  // HWY_ONCE
