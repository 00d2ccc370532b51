// A RankExecutor runs the clients of one rank as a single process would and passes on the sums of blocks that are
// shared with neighbouring ranks. It is used by one thread.
//
// For the first block, the sum of the earlier ranks arrives and this rank's clients are added to it in their order. If
// the block ends here, the sum is kept; otherwise it is sent to the next rank. The result is the same, bit for bit, as
// if one process had all clients.
#pragma once

#include <functional>

#include "ranks/rank_transport.h"
#include "transport/local_executor.h"

namespace pollen::ranks {

class RankExecutor {
 public:
  RankExecutor(Ranks& ranks, ClientView& view, Clients& clients, const RankShare& share);

  const BlockRange& range() const { return local_.range(); }
  // Runs one round of the server, which `open` opens. Afterwards the server's blocks that end here are complete.
  void exchange(Server& server, const std::function<void()>& open);
  // Asks a question whose answers are added up. Afterwards the finished blocks of sums() are complete.
  void query(const Query& query, Index rows, Index columns);
  BlockSums& sums() { return local_.sums(); }
  // Asks a question with one column per client. Column i of `out` is for this rank's client at place i.
  void answer_columns(const Query& query, PanelView out) { local_.answer_columns(query, out); }

 private:
  using Carry = std::function<void(Archive&)>;
  void relay(const std::function<void()>& work, const Carry& join, const Carry& leave);

  Ranks& ranks_;
  LocalExecutor local_;
  Bytes partial_;
};

}  // namespace pollen::ranks
