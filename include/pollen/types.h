// The containers that all of pollen shares: aligned vectors, panels of chains, views on both, scratch memory, and a
// team that shares out work.
//
//   pollen::Panel theta(d, chains);                       // one column per chain, zeros
//   std::span<double> first = theta.column(0);
//   pollen::ConstPanelView view = theta;                  // cheap to copy, owns nothing
//
// A panel is a d × R matrix of doubles whose columns are chains. Columns start on 64-byte boundaries (the stride is d
// rounded up to 8) and the padding is zero when the panel is made. Nothing here is synchronised.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <vector>

namespace pollen {

using Index = std::ptrdiff_t;
using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

template <class T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t{64})); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, std::align_val_t{64}); }
  template <class U>
  bool operator==(const AlignedAllocator<U>&) const {
    return true;
  }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

// Rounds n up to a multiple of 8, which is one 64-byte line of doubles.
constexpr Index padded(Index n) { return (n + 7) / 8 * 8; }

struct ConstPanelView {
  const double* data = nullptr;
  Index rows = 0;
  Index columns = 0;
  Index stride = 0;  // doubles from one column to the next

  std::span<const double> column(Index c) const { return {data + c * stride, static_cast<std::size_t>(rows)}; }
};

struct PanelView {
  double* data = nullptr;
  Index rows = 0;
  Index columns = 0;
  Index stride = 0;

  std::span<double> column(Index c) const { return {data + c * stride, static_cast<std::size_t>(rows)}; }
  operator ConstPanelView() const { return {data, rows, columns, stride}; }
};

// A dense table that somebody else owns: `rows` rows of `columns` doubles, row-major, `stride` doubles apart.
struct RowsView {
  const double* data = nullptr;
  Index rows = 0;
  Index columns = 0;
  Index stride = 0;
  const double* row(Index r) const { return data + r * stride; }
  RowsView slice(Index first, Index count) const { return {data + first * stride, count, columns, stride}; }
};

class Panel {
 public:
  Panel() = default;
  Panel(Index rows, Index columns)
      : rows_(rows), columns_(columns), storage_(static_cast<std::size_t>(padded(rows) * columns), 0.0) {}

  Index rows() const { return rows_; }
  Index columns() const { return columns_; }
  Index stride() const { return padded(rows_); }
  bool empty() const { return storage_.empty(); }
  std::span<double> column(Index c) { return view().column(c); }
  std::span<const double> column(Index c) const { return view().column(c); }
  PanelView view() { return {storage_.data(), rows_, columns_, stride()}; }
  ConstPanelView view() const { return {storage_.data(), rows_, columns_, stride()}; }
  operator PanelView() { return view(); }
  operator ConstPanelView() const { return view(); }
  // The whole storage including the padding, for fused passes, copies and checkpoints.
  std::span<double> flat() { return storage_; }
  std::span<const double> flat() const { return storage_; }

 private:
  Index rows_ = 0;
  Index columns_ = 0;
  AlignedVector<double> storage_;
};

// Copies a panel into another one of the same size.
inline void copy_into(ConstPanelView from, PanelView to) {
  for (Index c = 0; c < from.columns; ++c) std::ranges::copy(from.column(c), to.column(c).begin());
}

inline Panel copy_of(ConstPanelView from) {
  Panel to(from.rows, from.columns);
  copy_into(from, to);
  return to;
}

inline void fill(PanelView panel, double value) {
  for (Index c = 0; c < panel.columns; ++c) std::ranges::fill(panel.column(c), value);
}

// Gives `panel` this size. If it has the size already, it keeps its memory and its contents.
inline void fit(Index rows, Index columns, Panel& panel) {
  if (panel.rows() != rows || panel.columns() != columns) panel = Panel(rows, columns);
}

// A stack of temporary memory for one thread: take() in a Frame, everything taken is given back when the Frame ends.
// Memory is kept for the next use, so a loop that always takes the same sizes allocates only in its first turn.
//   Scratch::Frame frame(scratch);
//   std::span<double> residual = scratch.take<double>(rows);   // uninitialised, 64-byte aligned
class Scratch {
 public:
  class Frame {
   public:
    explicit Frame(Scratch& scratch) : scratch_(scratch), chunk_(scratch.chunk_), used_(scratch.used_) {}
    ~Frame() {
      scratch_.chunk_ = chunk_;
      scratch_.used_ = used_;
    }
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

   private:
    Scratch& scratch_;
    std::size_t chunk_;
    std::size_t used_;
  };

  template <class T>
  std::span<T> take(Index count) {
    const std::size_t bytes = (static_cast<std::size_t>(count) * sizeof(T) + 63) / 64 * 64;
    return {reinterpret_cast<T*>(take_bytes(bytes)), static_cast<std::size_t>(count)};
  }

  PanelView panel(Index rows, Index columns) {
    return {take<double>(padded(rows) * columns).data(), rows, columns, padded(rows)};
  }

 private:
  std::uint8_t* take_bytes(std::size_t bytes) {
    while (chunk_ < chunks_.size() && used_ + bytes > chunks_[chunk_].size) {
      ++chunk_;
      used_ = 0;
    }
    if (chunk_ == chunks_.size()) chunks_.emplace_back(std::max(bytes, kChunk));
    std::uint8_t* at = chunks_[chunk_].memory.get() + used_;
    used_ += bytes;
    return at;
  }

  struct Chunk {
    struct Free {
      void operator()(std::uint8_t* at) const { AlignedAllocator<std::uint8_t>().deallocate(at, 0); }
    };
    explicit Chunk(std::size_t bytes) : size(bytes), memory(AlignedAllocator<std::uint8_t>().allocate(bytes)) {}
    std::size_t size;
    std::unique_ptr<std::uint8_t, Free> memory;
  };
  static constexpr std::size_t kChunk = std::size_t{1} << 18;
  std::vector<Chunk> chunks_;
  std::size_t chunk_ = 0;
  std::size_t used_ = 0;
};

// A team shares work among its members: one thread alone, or several at once.
struct Team {
  using Work = std::function<void(Index item, int member)>;
  int size = 1;  // members
  // Calls work(item, member) for every item below `items`, in any order, and returns when all are done. A member does
  // one item at a time.
  std::function<void(Index items, const Work& work)> run = [](Index items, const Work& work) {
    for (Index item = 0; item < items; ++item) work(item, 0);
  };

  // Shares chains of `numbers` numbers each among the members, or does them here if there is too little work to share.
  void over_chains(Index chains, Index numbers, const Work& work) const {
    constexpr Index kWorthIt = 1 << 15;
    if (chains * numbers >= kWorthIt) return run(chains, work);
    for (Index chain = 0; chain < chains; ++chain) work(chain, 0);
  }
};

}  // namespace pollen
