// The pass over the data that all generalised linear models share: Z = XΘ, then Z → residuals, then G += Xᵀ residuals.
// It goes block by block of rows, so that X comes from memory once and the second product finds the block in the L2
// cache. Thread-safe with one Scratch per thread.
//
// The size of a block depends on the number of features alone, and columns (chains × classes) do not mix. Hence neither
// the machine nor the number of chains changes a bit of the result.
#pragma once

#include <algorithm>
#include <span>

#include "math/math.h"
#include "pollen/model.h"

namespace pollen::model {

// Rows per block, such that a block of X takes about 256 KiB.
inline constexpr Index kFewestRows = 16;
constexpr Index block_rows(Index features) {
  return std::clamp<Index>((Index{1} << 15) / std::max<Index>(features, 1) / 8 * 8, kFewestRows, 1024);
}

// All observations, or a minibatch of them.
struct Rows {
  const Observations* observations;
  std::span<const std::uint32_t> chosen{};
  bool all = true;

  explicit Rows(const Observations& o) : observations(&o) {}
  Rows(const Observations& o, std::span<const std::uint32_t> rows) : observations(&o), chosen(rows), all(false) {}

  Index count() const { return all ? observations->x.rows : static_cast<Index>(chosen.size()); }
  Index features() const { return observations->x.columns; }
  std::span<const std::uint32_t> batch(Index first, Index n) const {
    return chosen.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(n));
  }
  // The views are built anew for each call, because copying one that was just written stalls the processor.
  void multiply(Index first, const ConstPanelView& theta, const PanelView& z) const {
    const ConstPanelView t{theta.data, theta.rows, theta.columns, theta.stride};
    if (all)
      math::multiply(observations->x.slice(first, z.rows), t, PanelView{z.data, z.rows, z.columns, z.stride});
    else
      math::multiply(observations->x, batch(first, z.rows), t, PanelView{z.data, z.rows, z.columns, z.stride});
  }
  void add_transposed(Index first, const ConstPanelView& residual, const PanelView& g) const {
    const ConstPanelView t{residual.data, residual.rows, residual.columns, residual.stride};
    if (all)
      math::multiply_transposed_add(observations->x.slice(first, t.rows), t, g);
    else
      math::multiply_transposed_add(observations->x, batch(first, t.rows), t, g);
  }
  // Adds the rows' offsets to every column of z, whose rows are first, first + 1, ...
  void add_offset(Index first, const PanelView& z) const {
    const double* const offset = observations->offset;
    if (offset == nullptr) return;
    for (Index c = 0; c < z.columns; ++c)
      for (Index r = 0; r < z.rows; ++r)
        z.data[c * z.stride + r] += offset[all ? first + r : chosen[static_cast<std::size_t>(first + r)]];
  }
  // Returns the targets of rows first, ..., first + n - 1, or null if there are none. A minibatch's targets are copied
  // to `buffer`.
  const double* targets(Index first, Index n, double* buffer) const {
    if (!observations->y) return nullptr;
    if (all) return observations->y + first;
    for (Index r = 0; r < n; ++r) buffer[r] = observations->y[chosen[static_cast<std::size_t>(first + r)]];
    return buffer;
  }
};

// Vectors as panels of one column.
inline ConstPanelView one_column(std::span<const double> v) { return {v.data(), std::ssize(v), 1, std::ssize(v)}; }
inline PanelView one_column(std::span<double> v) { return {v.data(), std::ssize(v), 1, std::ssize(v)}; }

inline ConstPanelView columns(const ConstPanelView& panel, Index first, Index count) {
  return {panel.data + first * panel.stride, panel.rows, count, panel.stride};
}
inline PanelView columns(const PanelView& panel, Index first, Index count) {
  return {panel.data + first * panel.stride, panel.rows, count, panel.stride};
}

// Says how columns belong to chains: a chain has `in` columns of Θ and `out` columns of G. Columns go through the pass
// in groups of whole chains, which bounds the memory of Z. Z holds `in` columns for each chain of a group and returns
// the group's `out` residuals in its first columns. Of the `in` columns, `directions` are no positions, so that no
// offset is added to them; they come first.
struct Lanes {
  Index chains = 1;
  Index in = 1;
  Index out = 1;
  Index directions = 0;
  Index group() const { return chains <= 1 ? 1 : std::clamp<Index>(48 / in, 1, chains); }
};

// Makes one pass. For every block of rows and group of chains it computes z = X_block Θ_group, calls turn(z, y, first
// chain), and adds G_group += X_blockᵀ (the group's first chains·out columns of z). `turn` works in place; z has no
// gaps between columns.
template <class Turn>
void sweep(const Rows& rows, const ConstPanelView& theta, const PanelView& g, const Lanes& lanes, Scratch& scratch,
           Turn turn) {
  Scratch::Frame frame(scratch);
  const Index total = rows.count();
  const Index block = total <= kFewestRows ? total : std::min(block_rows(rows.features()), total);
  const Index group = lanes.group();
  double* buffer = rows.all ? nullptr : scratch.take<double>(block).data();
  double* store = scratch.take<double>(block * group * lanes.in).data();
  for (Index first = 0; first < total; first += block) {
    const Index n = std::min(block, total - first);
    const double* y = rows.targets(first, n, buffer);
    for (Index chain = 0; chain < lanes.chains; chain += group) {
      const Index count = std::min(group, lanes.chains - chain);
      const PanelView z{store, n, count * lanes.in, n};
      rows.multiply(first, columns(theta, chain * lanes.in, z.columns), z);
      rows.add_offset(first, columns(z, count * lanes.directions, count * (lanes.in - lanes.directions)));
      turn(z, y, chain);
      if (lanes.out > 0)
        rows.add_transposed(first, columns(z, 0, count * lanes.out), columns(g, chain * lanes.out, count * lanes.out));
    }
  }
}

// Joins two panels of chains, of `width` columns per chain, into one Θ for a sweep with lanes {chains, 2·width, width}.
// Within each group the columns of `first` come before those of `second`.
PanelView interleave(const ConstPanelView& first, const ConstPanelView& second, const Lanes& lanes, Scratch& scratch);

}  // namespace pollen::model
