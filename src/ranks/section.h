// The clients of one rank: their replies and answers, added up in the blocks of the whole federation.
//
// The first and the last block may be shared with the neighbours. What the ranks before have added up arrives, this
// rank's replies are added to it in client order, and the sum is passed on or, where the block ends here, kept: the
// same sum, bit for bit, as if one process had all clients.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "ranks/rank_transport.h"
#include "transport/ordered_reduce.h"
#include "transport/thread_team.h"

namespace pollen::ranks {

// The blocks that end in a range of clients, and whether its first and last are shared.
struct Borders {
  Borders(const ClientRange& own, Index clients);
  Index block;        // clients a block
  Index first, last;  // blocks that have clients here: [first, last)
  Index done;         // of these [first, done) end here
  bool open_front, open_back;
};

class Section {
 public:
  Section(Ranks& ranks, ClientView& view, Clients& clients, const RankShare& share);

  const Borders& borders() const { return borders_; }
  // Of the server's round, which `open` opens; its blocks that end here are then complete.
  void exchange(Server& server, const std::function<void()>& open);
  // Likewise; sum(block) is then complete.
  void query(const Query& query, Index rows, Index columns);
  // To a question by client: column i is of our client at place i.
  void answer_columns(const Query& query, PanelView out);
  Panel& sum(Index block) { return sums_[static_cast<std::size_t>(block - borders_.first)]; }

 private:
  struct Member {
    Workspace work;
    std::array<Reply, kTogether> replies;
    std::array<Request, kTogether> requests;
  };
  using Carry = std::function<void(Archive&)>;

  void relay(const std::function<void()>& work, const Carry& join, const Carry& leave);
  void answer_round(Server& server);
  void find_pieces(const Server& server);
  void answer_kept(const Roster& roster);
  void absorb_kept(Server& server);
  void answer_by_client(Server& server, std::span<const PlaceRow> pieces);
  void answer_and_absorb(Server& server, const PlaceRow& piece, Member& member);
  void answer_query(const Query& query, Index rows, Index columns);
  void answer_one(const Query& query, std::size_t place, Panel& answered, int member);
  Workspace& work(int member) { return members_[static_cast<std::size_t>(member)].work; }
  Client& client(std::uint32_t index) {
    return clients_[static_cast<std::size_t>(static_cast<Index>(index) - own_.first)];
  }
  // Too few blocks for each member to have some: they share clients.
  bool few(std::span<const PlaceRow> blocks) const { return team_.size() > 1 && std::ssize(blocks) < 4 * team_.size(); }

  Ranks& ranks_;
  ClientView& view_;
  Clients& clients_;
  ClientRange own_;
  Borders borders_;
  ThreadTeam team_;
  std::vector<Member> members_;
  std::vector<PlaceRow> pieces_;  // the round's roster entries, one a block of ours
  std::vector<Reply> replies_;    // kept: of the first piece
  std::vector<Panel> sums_, answers_;
  OrderedReduce<Reply> ordered_;
  OrderedReduce<Panel> answers_ordered_;
  Bytes partial_;
};

}  // namespace pollen::ranks
