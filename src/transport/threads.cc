#include <algorithm>
#include <array>
#include <limits>

#include "pollen/errors.h"
#include "pollen/math.h"
#include "pollen/thread_team.h"
#include "pollen/transport.h"

namespace pollen {

namespace {

class ThreadTransport final : public Transport {
 public:
  ThreadTransport(Station& station, Clients& clients, int threads)
      : station_(station), clients_(clients), team_(threads), members_(static_cast<std::size_t>(team_.size())) {}

  void exchange(Server& server) override {
    station_.receive(server.broadcast(), members_[0].work);
    if (team_.size() > 1 && server.blocks() < 4 * team_.size()) return exchange_by_client(server);
    team_.run(server.blocks(), [&](Index block, int member) { serve_block(server, block, member); });
  }

  // Blocks as in the server's sums, so that an answer does not depend on the number of threads.
  void query(const Query& query, PanelView sum) override {
    if (query.what == Query::What::bounds || query.what == Query::What::rows) return answer_columns(query, sum);
    const auto clients = static_cast<Index>(clients_.size());
    const Index block_size = block_size_for(clients);
    const Index blocks = (clients + block_size - 1) / block_size;
    sums_.resize(static_cast<std::size_t>(blocks));
    const bool few = team_.size() > 1 && blocks < 4 * team_.size();
    if (few) answer_by_client(query, sum.rows, sum.columns);
    team_.run(blocks, [&](Index block, int member) {
      Panel& total = sums_[static_cast<std::size_t>(block)];
      total = Panel(sum.rows, sum.columns);
      const Index last = std::min(clients, (block + 1) * block_size);
      for (Index i = block * block_size; i < last; ++i)
        if (few)
          add(answers_[static_cast<std::size_t>(i)], total);
        else
          add_answer(static_cast<std::size_t>(i), query, total, members_[static_cast<std::size_t>(member)].work);
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
    std::array<Turn, kTogether> turns;
  };

  // Few clients: one client a turn, replies kept, then the same sums in the same order.
  void exchange_by_client(Server& server) {
    const Roster& roster = server.broadcast().roster;
    if (replies_.size() < roster.clients.size()) replies_.resize(roster.clients.size());
    team_.run(static_cast<Index>(roster.clients.size()), [&](Index e, int member) {
      answer(roster, static_cast<std::size_t>(e), replies_[static_cast<std::size_t>(e)],
             members_[static_cast<std::size_t>(member)].work);
    });
    team_.run(server.blocks(), [&](Index block, int member) {
      const auto [first, last] = server.block_entries(block);
      for (std::size_t e = first; e < last; ++e) {
        server.absorb(replies_[e], roster.clients[e], members_[static_cast<std::size_t>(member)].work);
        clients_[roster.clients[e].client].settle(replies_[e], true);
      }
    });
  }

  void serve_block(Server& server, Index block, int member) {
    Member& m = members_[static_cast<std::size_t>(member)];
    const auto [first, last] = server.block_entries(block);
    const std::span entries(server.broadcast().roster.clients);
    const std::size_t together = answer_together(station_);
    for (std::size_t e = first; e < last; e += together) {
      const std::size_t n = std::min(together, last - e);
      for (std::size_t i = 0; i < n; ++i)
        m.turns[i] = {&clients_[entries[e + i].client], server.broadcast().roster.chains(entries[e + i]),
                      &m.replies[i]};
      answer_all(station_, {m.turns.data(), n}, m.work);
      server.absorb_all({m.replies.data(), n}, entries.subspan(e, n), m.work);
      for (std::size_t i = 0; i < n; ++i) m.turns[i].client->settle(m.replies[i], true);
    }
  }

  void answer(const Roster& roster, std::size_t e, Reply& reply, Workspace& work) {
    const Roster::Entry& entry = roster.clients[e];
    clients_[entry.client].answer(station_, roster.chains(entry), reply, work);
  }

  void add_answer(std::size_t client, const Query& query, Panel& total, Workspace& work) {
    Scratch::Frame frame(work.scratch);
    const PanelView answered = work.scratch.panel(total.rows(), total.columns());
    pollen::answer(clients_, client, station_, query, answered, work);
    add(answered, total);
  }

  // Of questions whose answers are a column a client.
  void answer_columns(const Query& query, PanelView out) {
    const auto clients = static_cast<Index>(clients_.size());
    const Index block_size = block_size_for(clients);
    team_.run((clients + block_size - 1) / block_size, [&](Index block, int member) {
      for (Index i = block * block_size; i < std::min(clients, (block + 1) * block_size); ++i)
        pollen::answer(clients_, static_cast<std::size_t>(i), station_, query,
                       {out.column(i).data(), out.rows, 1, out.stride},
                       members_[static_cast<std::size_t>(member)].work);
    });
  }

  static void add(ConstPanelView answered, Panel& total) {
    for (Index c = 0; c < total.columns(); ++c) math::add(answered.column(c), total.column(c));
  }

  // As exchange_by_client().
  void answer_by_client(const Query& query, Index rows, Index columns) {
    answers_.resize(clients_.size());
    team_.run(std::ssize(clients_), [&](Index client, int member) {
      Panel& answered = answers_[static_cast<std::size_t>(client)];
      if (answered.rows() != rows || answered.columns() != columns) answered = Panel(rows, columns);
      pollen::answer(clients_, static_cast<std::size_t>(client), station_, query, answered,
                     members_[static_cast<std::size_t>(member)].work);
    });
  }

  Station& station_;
  Clients& clients_;
  ThreadTeam team_;
  std::vector<Member> members_;
  std::vector<Reply> replies_;
  std::vector<Panel> sums_, answers_;
};

}  // namespace

std::unique_ptr<Transport> make_thread_transport(Station& station, Clients& clients, int threads) {
  return std::make_unique<ThreadTransport>(station, clients, threads);
}

}  // namespace pollen
