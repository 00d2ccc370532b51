// A LocalExecutor runs the clients of one process on a team of threads and adds up their replies and answers in the
// federation's blocks (round/block_sums.h). A sum therefore depends neither on the number of threads nor on which
// process has a client. The executor itself is used by one thread.
//
// A process that has all clients only needs answer_round(), answer() and answer_columns(). If the first block also has
// clients of an earlier process (BlockRange::open_front), the replies and answers of that block are kept. The caller
// then puts the sum of the earlier clients into the block and calls absorb_kept() or add_kept().
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
  // `clients` are the clients of range.own, in their order.
  LocalExecutor(ClientView& view, Clients& clients, const BlockRange& range, int threads);

  // Lets the participants of the server's open round answer and the server absorb their replies.
  void answer_round(Server& server);
  void absorb_kept(Server& server);

  // Lets the clients answer a question whose answers are added up, and leaves the sums of blocks in sums().
  void answer(const Query& query, Index rows, Index columns);
  void add_kept();
  BlockSums& sums() { return sums_; }
  // Writes the answer of the client at place i to column i of `out`, for a question with one column per client.
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
  // Whether there are too few blocks to keep all members busy; members then share the clients of a block.
  bool few(std::span<const PlaceRow> blocks) const { return team_.size() > 1 && std::ssize(blocks) < 4 * team_.size(); }

  template <class PlacesOf>
  std::span<const PlaceRow> find_blocks(const PlacesOf& places_of);
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
  std::vector<PlaceRow> blocks_;  // roster entries in a round, places of clients in a question
  BlockSums sums_;
  Index rows_ = 0, columns_ = 0;  // the size of an answer
  std::vector<Reply> kept_replies_;
  std::vector<Panel> kept_answers_;
  OrderedReduce<Reply> replies_;
  OrderedReduce<Panel> answers_;
};

}  // namespace pollen
