#include "transport/local_executor.h"

#include <algorithm>

#include "math/math.h"
#include "pollen/transport.h"

namespace pollen {

namespace {

class ThreadTransport final : public Transport {
 public:
  ThreadTransport(ClientView& view, Clients& clients, int threads)
      : local_(view, clients, BlockRange::all(std::ssize(clients)), threads) {}

  void exchange(Server& server) override { local_.answer_round(server); }

  void query(const Query& query, PanelView sum) override {
    if (Query::by_client(query.what)) return local_.answer_columns(query, sum);
    local_.answer(query, sum.rows, sum.columns);
    fill(sum, 0.0);
    local_.sums().add_finished(sum);
  }

  Team team() override { return local_.team(); }

 private:
  LocalExecutor local_;
};

}  // namespace

LocalExecutor::LocalExecutor(ClientView& view, Clients& clients, const BlockRange& range, int threads)
    : view_(view),
      clients_(clients),
      range_(range),
      team_(threads),
      members_(static_cast<std::size_t>(team_.size())),
      sums_(range) {}

// Fills blocks_ with the places of every block's clients, which places_of(block) returns. Returns the blocks whose
// replies or answers need not be kept.
template <class PlacesOf>
std::span<const PlaceRow> LocalExecutor::find_blocks(const PlacesOf& places_of) {
  blocks_.clear();
  for (Index block = range_.first; block < range_.last; ++block) {
    const std::pair<std::size_t, std::size_t> places = places_of(block);
    blocks_.push_back({places.first, places.second});
  }
  return std::span(blocks_).subspan(range_.open_front ? 1 : 0);
}

void LocalExecutor::answer_round(Server& server) {
  view_.receive(server.broadcast(), work(0));
  const Roster& roster = server.broadcast().roster;
  const std::span blocks = find_blocks([&](Index block) { return range_.entries_of(block, roster); });
  if (range_.open_front) keep_replies(roster);
  if (few(blocks)) return serve_by_client(server, blocks);
  team_.run(std::ssize(blocks), [&](Index block, int number) {
    serve_block(server, blocks[static_cast<std::size_t>(block)], member(number));
  });
}

// Lets the clients of the roster entries from `first` on answer, one per reply. There are at most kTogether replies.
void LocalExecutor::ask(const Roster& roster, std::size_t first, std::span<Reply> replies, Member& member) {
  for (std::size_t i = 0; i < replies.size(); ++i) {
    const Roster::Entry& entry = roster.clients[first + i];
    member.requests[i] = {&client(entry.client), roster.chains(entry), &replies[i], roster.weights(entry)};
  }
  answer_all(view_, {member.requests.data(), replies.size()}, member.work);
}

void LocalExecutor::serve_block(Server& server, const PlaceRow& block, Member& member) {
  const Roster& roster = server.broadcast().roster;
  const std::size_t together = answer_together(view_);
  for (std::size_t e = block.first; e < block.last; e += together) {
    const std::span replies = std::span(member.replies).first(std::min(together, block.last - e));
    ask(roster, e, replies, member);
    server.absorb_all(replies, std::span(roster.clients).subspan(e, replies.size()), member.work);
    for (std::size_t i = 0; i < replies.size(); ++i) member.requests[i].client->acknowledge(replies[i], true);
  }
}

void LocalExecutor::serve_by_client(Server& server, std::span<const PlaceRow> blocks) {
  const Roster& roster = server.broadcast().roster;
  replies_.run(
      team_.team(), blocks,
      [&](std::size_t e, Reply& reply, int member) {
        const Roster::Entry& entry = roster.clients[e];
        client(entry.client).answer(view_, roster.chains(entry), reply, work(member), roster.weights(entry));
      },
      [&](std::size_t e, Reply& reply, int member) {
        server.absorb(reply, roster.clients[e], work(member));
        client(reply.client).acknowledge(reply, true);
      });
}

void LocalExecutor::keep_replies(const Roster& roster) {
  const PlaceRow& block = blocks_.front();
  const std::size_t together = team_.size() > 1 ? 1 : answer_together(view_);
  if (kept_replies_.size() < block.size()) kept_replies_.resize(block.size());
  const std::span replies(kept_replies_.data(), block.size());
  team_.run(static_cast<Index>((block.size() + together - 1) / together), [&](Index item, int number) {
    const std::size_t begin = static_cast<std::size_t>(item) * together;
    ask(roster, block.first + begin, replies.subspan(begin, std::min(together, block.size() - begin)), member(number));
  });
}

void LocalExecutor::absorb_kept(Server& server) {
  const PlaceRow& block = blocks_.front();
  const std::span entries(server.broadcast().roster.clients);
  const std::span replies(kept_replies_.data(), block.size());
  for (std::size_t e = 0; e < replies.size(); e += kTogether) {
    const std::size_t n = std::min(kTogether, replies.size() - e);
    server.absorb_all(replies.subspan(e, n), entries.subspan(block.first + e, n), work(0));
  }
  for (const Reply& reply : replies) client(reply.client).acknowledge(reply, true);
}

void LocalExecutor::answer(const Query& query, Index rows, Index columns) {
  if (query.what == Query::What::coordinates) view_.set_coordinates(coordinates_told(query));
  rows_ = rows;
  columns_ = columns;
  sums_.reset(rows, columns);
  const std::span blocks = find_blocks([&](Index block) {
    const ClientRange clients = range_.clients_of(block);
    return std::pair(static_cast<std::size_t>(clients.first - range_.own.first),
                     static_cast<std::size_t>(clients.last - range_.own.first));
  });
  if (range_.open_front) {
    kept_answers_.resize(blocks_.front().size());
    team_.run(std::ssize(kept_answers_), [&](Index place, int member) {
      answer_into(query, static_cast<std::size_t>(place), kept_answers_[static_cast<std::size_t>(place)], member);
    });
  }
  if (few(blocks))
    return answers_.run(
        team_.team(), blocks,
        [&](std::size_t place, Panel& answered, int member) { answer_into(query, place, answered, member); },
        [&](std::size_t place, Panel& answered, int) {
          sums_.add(range_.own.first + static_cast<Index>(place), answered);
        });
  team_.run(std::ssize(blocks), [&](Index block, int member) {
    answer_block(query, blocks[static_cast<std::size_t>(block)], work(member));
  });
}

void LocalExecutor::answer_into(const Query& query, std::size_t place, Panel& answered, int member) {
  fit(rows_, columns_, answered);
  pollen::answer(clients_, place, view_, query, answered, work(member));
}

void LocalExecutor::answer_block(const Query& query, const PlaceRow& block, Workspace& work) {
  Scratch::Frame frame(work.scratch);
  const PanelView answered = work.scratch.panel(rows_, columns_);
  for (std::size_t place = block.first; place < block.last; ++place) {
    const Index client = range_.own.first + static_cast<Index>(place);
    if (!query.asks(static_cast<std::uint32_t>(client))) continue;  // even light clients take time to make
    pollen::answer(clients_, place, view_, query, answered, work);
    sums_.add(client, answered);
  }
}

void LocalExecutor::add_kept() {
  for (const Panel& answered : kept_answers_) math::add(answered, sums_[range_.first]);
}

void LocalExecutor::answer_columns(const Query& query, PanelView out) {
  constexpr Index kItem = 64;  // clients per item
  const Index all = std::min<Index>(std::ssize(clients_), out.columns);
  team_.run((all + kItem - 1) / kItem, [&](Index item, int member) {
    for (Index i = item * kItem; i < std::min(all, (item + 1) * kItem); ++i)
      pollen::answer(clients_, static_cast<std::size_t>(i), view_, query,
                     {out.column(i).data(), out.rows, 1, out.stride}, work(member));
  });
}

std::unique_ptr<Transport> make_thread_transport(ClientView& view, Clients& clients, int threads) {
  return std::make_unique<ThreadTransport>(view, clients, threads);
}

}  // namespace pollen
