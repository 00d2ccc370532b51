// Sums over clients that have the same bits whoever computes them.
//
// Adding floating-point numbers in another order gives another sum. Every sum over clients in a round or a question is
// therefore taken in the same way (reference samplers have sums of their own, on one thread): clients are divided into
// fixed blocks (block_size_for), a block adds its clients in their order, and the blocks are added in their order.
// Threads, ranks and participants over a network all follow this division.
#pragma once

#include <utility>
#include <vector>

#include "pollen/round.h"
#include "round/client_range.h"

namespace pollen {

// The number of clients in a block: at least 32, and such that there are at most 64 blocks. It depends on the number of
// clients alone, so every transport adds in the same order.
Index block_size_for(Index clients);

// The blocks in which one process has clients. Where clients are spread over processes, the first and the last of these
// blocks may also have clients of the neighbouring processes.
struct BlockRange {
  BlockRange(const ClientRange& clients_here, Index clients);
  static BlockRange all(Index clients) { return {{0, clients}, clients}; }

  ClientRange own;    // the clients of this process
  Index block_size;   // the number of clients per block
  Index first, last;  // the blocks that have clients here: [first, last)
  Index finished;     // the blocks [first, finished) have their last client here
  bool open_front;    // the first block also has clients of an earlier process
  bool open_back;     // the last block also has clients of a later process

  Index size() const { return last - first; }
  Index block_of(Index client) const { return client / block_size; }
  ClientRange clients_of(Index block) const;  // the block's clients that this process has
  // The roster's entries [first, second) that are of these clients.
  std::pair<std::size_t, std::size_t> entries_of(Index block, const Roster& roster) const;
};

// One panel per block, for the blocks of a range.
class BlockSums {
 public:
  explicit BlockSums(const BlockRange& range) : range_(range), sums_(static_cast<std::size_t>(range.size())) {}

  // Sets all panels to zero, column by column on the team. Memory is reused if the size stays the same.
  void reset(Index rows, Index columns, const Team& team = {});
  const BlockRange& range() const { return range_; }
  Panel& operator[](Index block) { return sums_[static_cast<std::size_t>(block - range_.first)]; }
  Panel& of_client(Index client) { return (*this)[range_.block_of(client)]; }
  // Adds a client's values to the panel of its block. The caller adds the clients of a block in their order.
  void add(Index client, ConstPanelView values);
  // Adds the panels of the finished blocks to `total`, in the order of the blocks.
  void add_finished(PanelView total) const;
  // Adds the panels of all later blocks to that of the first one, in their order.
  void merge();

 private:
  BlockRange range_;
  std::vector<Panel> sums_;
};

}  // namespace pollen
