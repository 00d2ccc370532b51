// The clients of one rank: they are run as in a single process, and the sums of blocks that are shared with the
// neighbouring ranks are passed on.
//
// What the ranks before have added up of the first block arrives, this rank's clients are added to it in their order,
// and the sum is kept where the block ends here and sent to the next rank where it does not. It is the same sum, bit
// for bit, as if one process had all clients.
#pragma once

#include <functional>

#include "ranks/rank_transport.h"
#include "transport/local_executor.h"

namespace pollen::ranks {

class RankExecutor {
 public:
  RankExecutor(Ranks& ranks, ClientView& view, Clients& clients, const RankShare& share);

  const BlockRange& range() const { return local_.range(); }
  // One round of the server, which `open` opens; the server's blocks that end here are then complete.
  void exchange(Server& server, const std::function<void()>& open);
  // One question whose answers are added up; the finished blocks of sums() are then complete.
  void query(const Query& query, Index rows, Index columns);
  BlockSums& sums() { return local_.sums(); }
  // One question that is answered by client: column i of `out` is for our client at place i.
  void answer_columns(const Query& query, PanelView out) { local_.answer_columns(query, out); }

 private:
  using Carry = std::function<void(Archive&)>;
  void relay(const std::function<void()>& work, const Carry& join, const Carry& leave);

  Ranks& ranks_;
  LocalExecutor local_;
  Bytes partial_;
};

}  // namespace pollen::ranks
