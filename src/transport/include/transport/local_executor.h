// Runs the clients of one process on a team of threads and adds up what they say, in the federation's blocks
// (round/block_sums.h), so that a sum depends neither on the number of threads nor on where clients live.
//
// A process that has all clients needs answer_round() and query() only. Where the first block begins at another process
// (BlockRange::open_front), the replies and answers of that block are kept: the caller first puts the sum of the
// clients before into the block, and then calls absorb_kept() or add_kept().
#pragma once

#include <array>
#include <span>
#include <vector>

#include "pollen/transport.h"
#include "round/block_sums.h"
#include "transport/ordered_reduce.h"
#include "transport/thread_team.h"

namespace pollen {

class LocalExecutor {
 public:
  // `clients` are those of range.own, in their order.
  LocalExecutor(ClientView& view, Clients& clients, const BlockRange& range, int threads);

  // The participants of the server's open round answer, and the server absorbs their replies.
  void answer_round(Server& server);
  void absorb_kept(Server& server);

  // The clients answer a question whose answers are added up, into sums().
  void answer(const Query& query, Index rows, Index columns);
  void add_kept();
  BlockSums& sums() { return sums_; }
  // Column i of `out` becomes the answer of the client at place i, to a question that is answered by client.
  void answer_columns(const Query& query, PanelView out);

  const BlockRange& range() const { return range_; }
  Team team() { return team_.team(); }

 private:
  struct Member {
    Workspace work;
    std::array<Reply, kTogether> replies;
    std::array<Request, kTogether> requests;
  };

  Member& member(int number) { return members_[static_cast<std::size_t>(number)]; }
  Workspace& work(int number) { return member(number).work; }
  Client& client(std::uint32_t index) {
    return clients_[static_cast<std::size_t>(static_cast<Index>(index) - range_.own.first)];
  }
  // Where there are too few blocks to keep all members busy, these share the clients of a block.
  bool few(std::span<const PlaceRow> blocks) const { return team_.size() > 1 && std::ssize(blocks) < 4 * team_.size(); }

  std::span<const PlaceRow> find_entries(const Roster& roster);
  std::span<const PlaceRow> find_places();
  void ask(const Roster& roster, std::size_t first, std::span<Reply> replies, Member& member);
  void keep_replies(const Roster& roster);
  void serve_block(Server& server, const PlaceRow& block, Member& member);
  void serve_by_client(Server& server, std::span<const PlaceRow> blocks);
  void answer_into(const Query& query, std::size_t place, Panel& answered, int member);
  void answer_block(const Query& query, const PlaceRow& block, Workspace& work);

  ClientView& view_;
  Clients& clients_;
  BlockRange range_;
  ThreadTeam team_;
  std::vector<Member> members_;
  std::vector<PlaceRow> blocks_;  // of roster entries in a round, of places of clients in a question
  BlockSums sums_;
  Index rows_ = 0, columns_ = 0;  // the size of an answer
  std::vector<Reply> kept_replies_;
  std::vector<Panel> kept_answers_;
  OrderedReduce<Reply> replies_;
  OrderedReduce<Panel> answers_;
};

}  // namespace pollen
