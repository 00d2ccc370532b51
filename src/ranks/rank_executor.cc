#include "rank_executor.h"

#include <exception>

#include "frames.h"

namespace pollen::ranks {

RankExecutor::RankExecutor(Ranks& ranks, ClientView& view, Clients& clients, const RankShare& share)
    : ranks_(ranks), local_(view, clients, BlockRange(share.own, share.clients), share.threads) {}

// Does this rank's work, adds it to the sum of the previous rank (join) and passes the sum on (leave). Even after an
// error, the previous rank's frame is received and the next rank is told.
void RankExecutor::relay(const std::function<void()>& work, const Carry& join, const Carry& leave) {
  std::exception_ptr failed;
  const auto guarded = [&](const auto& what) {
    if (failed) return;
    try {
      what();
    } catch (...) {
      failed = std::current_exception();
    }
  };
  guarded(work);
  if (range().open_front) {
    ranks_.receive(ranks_.rank() - 1, partial_);
    guarded([&] {
      if (kind_of(partial_) != Kind::done) throw Abandoned();
      Archive archive(ByteView(partial_).subspan(1));
      join(archive);
    });
  }
  if (range().open_back) {
    Archive archive = frame_of(failed ? Kind::abandoned : Kind::done, std::move(partial_));
    if (!failed) leave(archive);
    partial_ = archive.take();
    ranks_.send(ranks_.rank() + 1, partial_);
  }
  if (failed) std::rethrow_exception(failed);
}

void RankExecutor::exchange(Server& server, const std::function<void()>& open) {
  relay(
      [&] {
        open();
        local_.answer_round(server);
      },
      [&](Archive& partial) {
        server.archive_block(range().first, partial);
        local_.absorb_kept(server);
      },
      [&](Archive& partial) { server.archive_block(range().last - 1, partial); });
}

void RankExecutor::query(const Query& query, Index rows, Index columns) {
  relay([&] { local_.answer(query, rows, columns); },
        [&](Archive& partial) {
          partial.array(sums()[range().first].flat());
          local_.add_kept();
        },
        [&](Archive& partial) { partial.array(sums()[range().last - 1].flat()); });
}

}  // namespace pollen::ranks
