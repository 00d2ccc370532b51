#include <algorithm>
#include <array>
#include <limits>

#include "math/math.h"
#include "pollen/errors.h"
#include "pollen/transport.h"
#include "transport/ordered_reduce.h"
#include "transport/thread_team.h"

namespace pollen {

namespace {

class ThreadTransport final : public Transport {
 public:
  ThreadTransport(ClientView& view, Clients& clients, int threads)
      : view_(view), clients_(clients), team_(threads), members_(static_cast<std::size_t>(team_.size())) {}

  void exchange(Server& server) override {
    view_.receive(server.broadcast(), members_[0].work);
    rows_.clear();
    for (Index block = 0; block < server.blocks(); ++block) {
      const auto [first, last] = server.block_entries(block);
      rows_.push_back({first, last});
    }
    if (few()) return exchange_by_client(server);
    team_.run(server.blocks(), [&](Index block, int member) { serve_block(server, block, member); });
  }

  // Blocks as in the server's sums, so that an answer does not depend on the number of threads.
  void query(const Query& query, PanelView sum) override {
    if (Query::by_client(query.what))
      return answer_columns(clients_, view_, query, sum, team_.team(),
                            [this](int member) -> Workspace& { return work(member); });
    const Index block_size = block_size_for(std::ssize(clients_));
    rows_.clear();
    for (std::size_t first = 0; first < clients_.size(); first = rows_.back().last)
      rows_.push_back({first, std::min(clients_.size(), first + static_cast<std::size_t>(block_size))});
    sums_.resize(rows_.size());
    for (Panel& total : sums_) total = Panel(sum.rows, sum.columns);
    if (few())
      answer_by_client(query, block_size);
    else
      team_.run(std::ssize(rows_), [&](Index block, int member) {
        const PlaceRow& row = rows_[static_cast<std::size_t>(block)];
        for (std::size_t i = row.first; i < row.last; ++i)
          add_answer(i, query, sums_[static_cast<std::size_t>(block)], work(member));
      });
    for (Index c = 0; c < sum.columns; ++c) {
      std::ranges::fill(sum.column(c), 0.0);
      for (const Panel& block : sums_) math::add(block.column(c), sum.column(c));
    }
  }

  Team team() override { return team_.team(); }

 private:
  struct Member {
    Workspace work;
    std::array<Reply, kTogether> replies;
    std::array<Request, kTogether> requests;
  };

  Workspace& work(int member) { return members_[static_cast<std::size_t>(member)].work; }

  // Too few blocks for each member to have some: they share clients.
  bool few() const { return team_.size() > 1 && std::ssize(rows_) < 4 * team_.size(); }

  void exchange_by_client(Server& server) {
    const Roster& roster = server.broadcast().roster;
    replies_.run(
        team_.team(), rows_,
        [&](std::size_t e, Reply& reply, int member) {
          const Roster::Entry& entry = roster.clients[e];
          clients_[entry.client].answer(view_, roster.chains(entry), reply, work(member));
        },
        [&](std::size_t e, Reply& reply, int member) {
          server.absorb(reply, roster.clients[e], work(member));
          clients_[reply.client].acknowledge(reply, true);
        });
  }

  void serve_block(Server& server, Index block, int member) {
    Member& m = members_[static_cast<std::size_t>(member)];
    const auto [first, last] = rows_[static_cast<std::size_t>(block)];
    const std::span entries(server.broadcast().roster.clients);
    const std::size_t together = answer_together(view_);
    for (std::size_t e = first; e < last; e += together) {
      const std::size_t n = std::min(together, last - e);
      for (std::size_t i = 0; i < n; ++i)
        m.requests[i] = {&clients_[entries[e + i].client], server.broadcast().roster.chains(entries[e + i]),
                         &m.replies[i]};
      answer_all(view_, {m.requests.data(), n}, m.work);
      server.absorb_all({m.replies.data(), n}, entries.subspan(e, n), m.work);
      for (std::size_t i = 0; i < n; ++i) m.requests[i].client->acknowledge(m.replies[i], true);
    }
  }

  void add_answer(std::size_t client, const Query& query, Panel& total, Workspace& work) {
    Scratch::Frame frame(work.scratch);
    const PanelView answered = work.scratch.panel(total.rows(), total.columns());
    answer(clients_, client, view_, query, answered, work);
    add(answered, total);
  }

  static void add(ConstPanelView answered, Panel& total) {
    for (Index c = 0; c < total.columns(); ++c) math::add(answered.column(c), total.column(c));
  }

  void answer_by_client(const Query& query, Index block_size) {
    const Panel& like = sums_.front();
    answers_.run(
        team_.team(), rows_,
        [&](std::size_t client, Panel& answered, int member) {
          fit(like, answered);
          answer(clients_, client, view_, query, answered, work(member));
        },
        [&](std::size_t client, Panel& answered, int) {
          add(answered, sums_[client / static_cast<std::size_t>(block_size)]);
        });
  }

  ClientView& view_;
  Clients& clients_;
  ThreadTeam team_;
  std::vector<Member> members_;
  std::vector<PlaceRow> rows_;  // a block each: of the roster's entries, or of clients
  OrderedReduce<Reply> replies_;
  OrderedReduce<Panel> answers_;
  std::vector<Panel> sums_;
};

}  // namespace

std::unique_ptr<Transport> make_thread_transport(ClientView& view, Clients& clients, int threads) {
  return std::make_unique<ThreadTransport>(view, clients, threads);
}

}  // namespace pollen
