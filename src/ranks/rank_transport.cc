// Rank 0's end: what is opened here goes to all ranks, every rank's finished blocks come back in client order.
#include "ranks/rank_transport.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <utility>

#include "collect.h"
#include "frames.h"
#include "math/math.h"
#include "section.h"
#include "wire/messages.h"

namespace pollen {

namespace {

using ranks::collect;
using ranks::Kind;

class RankTransport final : public Transport {
 public:
  RankTransport(Ranks& ranks, ClientView& view, Clients& clients, const RankShare& share)
      : ranks_(ranks), view_(view), section_(ranks, view, clients, share) {
    for (int r = 0; r < ranks.size(); ++r) {
      const ClientRange theirs = client_range(r, ranks.size(), share.clients, share.numbers);
      borders_.emplace_back(theirs, share.clients);
      clients_.push_back(theirs);
    }
  }

  void exchange(Server& server) override {
    const Roster& roster = server.broadcast().roster;
    const auto chains =
        roster.clients.empty() ? std::span<const std::uint32_t>() : roster.chains(roster.clients.front());
    wire::encode(server.broadcast(), chains, frame_);
    ranks_.send_all(frame_);
    together(
        [&] {
          section_.exchange(server, [] {});
          server.draw_noise();  // while others are still at it
        },
        by_block([&](Index block, Archive& archive) { server.archive_block(block, archive); }));
  }

  void query(const Query& query, PanelView sum) override {
    ranks::Question question{query.what, copy(query.at), copy(query.direction), query.step, query.batch,
                             sum.rows,   sum.columns};
    Archive asked = ranks::frame_of(Kind::query, std::move(frame_));
    question.archive(asked);
    frame_ = asked.take();
    ranks_.send_all(frame_);
    if (Query::by_client(query.what)) return collect_columns(query, sum);
    for (Index c = 0; c < sum.columns; ++c) std::ranges::fill(sum.column(c), 0.0);
    const auto add = [&](const Panel& block) {
      for (Index c = 0; c < sum.columns; ++c) math::add(block.column(c), sum.column(c));
    };
    Panel block(sum.rows, sum.columns);
    together(
        [&] {
          section_.query(query, sum.rows, sum.columns);
          for (Index b = section_.borders().first; b < section_.borders().done; ++b) add(section_.sum(b));
        },
        by_block([&](Index, Archive& archive) {
          archive.array(block.flat());
          add(block);
        }));
  }

  void recipe_changed(const Recipe& recipe) override {
    wire::Settings settings{recipe.step, recipe.local ? recipe.local->smoothness : 0,
                            recipe.local ? recipe.local->convexity : 0};
    Archive archive = ranks::frame_of(Kind::settings);
    settings.archive(archive);
    ranks_.send_all(archive.take());
  }

  // What the other ranks' clients know goes behind that of this rank's, as one process would write it. Their stations
  // are as this one.
  void archive_others(Archive& archive) override {
    if (!archive.reading()) {
      for (Bytes& state : fetch_states(ranks_)) archive.bytes(state);
      return;
    }
    std::vector<Bytes> states;
    Bytes one;
    for (std::size_t r = 1; r < clients_.size(); ++r) {
      Archive state;
      view_.archive(state);
      for (Index i = 0; i < clients_[r].size(); ++i) {
        archive_state(archive, one);
        archive_state(state, one);
      }
      states.push_back(state.take());
    }
    spread_states(ranks_, states);
  }

 private:
  // Rank 0 has the first clients.
  void collect_columns(const Query& query, PanelView out) {
    together([&] { section_.answer_columns(query, out); },
             [&](int rank, Archive& archive) {
               const ClientRange& theirs = clients_[static_cast<std::size_t>(rank)];
               for (Index i = theirs.first; i < std::min(theirs.last, out.columns); ++i) archive.numbers(out.column(i));
             });
  }

  // take(block, archive) for every block that ends at a rank.
  using Hear = std::function<void(int rank, Archive&)>;
  Hear by_block(std::function<void(Index block, Archive&)> take) const {
    return [this, take = std::move(take)](int rank, Archive& archive) {
      const ranks::Borders& borders = borders_[static_cast<std::size_t>(rank)];
      for (Index block = borders.first; block < borders.done; ++block) take(block, archive);
    };
  }

  // This rank's part, then what every other has to say; an error of this rank is thrown once all have been heard.
  void together(const std::function<void()>& own, const Hear& hear) {
    std::exception_ptr failed;
    try {
      own();
    } catch (...) {
      failed = std::current_exception();
    }
    try {
      collect(ranks_, frame_, hear);
    } catch (...) {
      if (!failed) throw;
    }
    if (failed) std::rethrow_exception(failed);
  }

  static Panel copy(ConstPanelView from) {
    Panel to(from.rows, from.columns);
    for (Index c = 0; c < from.columns; ++c) std::ranges::copy(from.column(c), to.column(c).begin());
    return to;
  }

  Ranks& ranks_;
  ClientView& view_;
  ranks::Section section_;
  std::vector<ranks::Borders> borders_;  // of every rank
  std::vector<ClientRange> clients_;     // likewise
  Bytes frame_;
};

}  // namespace

std::unique_ptr<Transport> make_rank_transport(Ranks& ranks, ClientView& view, Clients& clients,
                                               const RankShare& share) {
  return std::make_unique<RankTransport>(ranks, view, clients, share);
}

}  // namespace pollen
