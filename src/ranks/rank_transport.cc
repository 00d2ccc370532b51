// Rank 0's side of rounds and questions. Rank 0 sends them to all ranks, and every rank sends back the blocks that it
// has finished, in client order.
#include "ranks/rank_transport.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <utility>

#include "frames.h"
#include "math/math.h"
#include "rank_executor.h"
#include "wire/messages.h"

namespace pollen {

namespace {

using ranks::collect;
using ranks::Kind;

class RankTransport final : public Transport {
 public:
  RankTransport(Ranks& ranks, ClientView& view, Clients& clients, const RankShare& share)
      : ranks_(ranks), view_(view), local_(ranks, view, clients, share) {
    for (int r = 0; r < ranks.size(); ++r)
      ranges_.emplace_back(client_range(r, ranks.size(), share.clients, share.numbers), share.clients);
  }

  void exchange(Server& server) override {
    wire::encode(server.broadcast(), {}, frame_);  // ranks draw again who works for which chains
    ranks_.send_all(frame_);
    together(
        [&] {
          local_.exchange(server, [] {});
          server.draw_noise();  // while other ranks are still working
        },
        by_block([&](Index block, Archive& archive) { server.archive_block(block, archive); }));
  }

  void query(const Query& query, PanelView sum) override {
    Archive asked = ranks::frame_of(Kind::query, std::move(frame_));
    wire::Ask::of(query, sum).archive(asked);
    std::int64_t batch = query.batch;
    asked.field(batch);
    std::vector<std::uint32_t> who(query.who.begin(), query.who.end());
    asked.list(who);
    frame_ = asked.take();
    ranks_.send_all(frame_);
    if (Query::by_client(query.what)) return collect_columns(query, sum);
    fill(sum, 0.0);
    Panel block(sum.rows, sum.columns);
    together(
        [&] {
          local_.query(query, sum.rows, sum.columns);
          local_.sums().add_finished(sum);
        },
        by_block([&](Index, Archive& archive) {
          archive.array(block.flat());
          math::add(block, sum);
        }));
  }

  // Saves or loads the state of the other ranks' clients, which follows that of this rank's, as if one process had
  // written it. Every rank's view of the broadcasts is the same, so this rank's view is sent to all.
  void archive(Archive& archive) override {
    if (!archive.reading()) {
      ranks_.send_all(ranks::bare(Kind::save));
      return collect(ranks_, frame_, [&](int, Archive& states) {
        Bytes theirs(states.left());
        states.bytes(theirs);
        archive.bytes(theirs);
      });
    }
    Bytes one;
    for (int r = 1; r < ranks_.size(); ++r) {
      Archive states = ranks::frame_of(Kind::load, std::move(frame_));
      view_.archive(states);
      for (Index i = 0; i < ranges_[static_cast<std::size_t>(r)].own.size(); ++i) {
        archive_state(archive, one);
        archive_state(states, one);
      }
      frame_ = states.take();
      ranks_.send(r, frame_);
    }
    collect(ranks_, frame_, [](int, Archive&) {});
  }

 private:
  // Answers a question with one column per client. Rank 0 has the first clients, so its columns come first.
  void collect_columns(const Query& query, PanelView out) {
    together([&] { local_.answer_columns(query, out); },
             [&](int rank, Archive& archive) {
               const ClientRange& theirs = ranges_[static_cast<std::size_t>(rank)].own;
               for (Index i = theirs.first; i < std::min(theirs.last, out.columns); ++i) archive.numbers(out.column(i));
             });
  }

  // Returns a function that calls take(block, archive) for every block that ends at a rank.
  using Hear = std::function<void(int rank, Archive&)>;
  Hear by_block(std::function<void(Index block, Archive&)> take) const {
    return [this, take = std::move(take)](int rank, Archive& archive) {
      const BlockRange& theirs = ranges_[static_cast<std::size_t>(rank)];
      for (Index block = theirs.first; block < theirs.finished; ++block) take(block, archive);
    };
  }

  // Does this rank's part and then receives the answers of the other ranks. An error of this rank is thrown after all
  // have answered.
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

  Ranks& ranks_;
  ClientView& view_;
  ranks::RankExecutor local_;
  std::vector<BlockRange> ranges_;  // one per rank
  Bytes frame_;
};

}  // namespace

std::unique_ptr<Transport> make_rank_transport(Ranks& ranks, ClientView& view, Clients& clients,
                                               const RankShare& share) {
  return std::make_unique<RankTransport>(ranks, view, clients, share);
}

}  // namespace pollen
