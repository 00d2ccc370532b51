// The loop of all ranks but rank 0, which answers the frames of rank 0. Every frame gets one answer.
#include <fmt/format.h>

#include <optional>

#include "frames.h"
#include "pollen/errors.h"
#include "rank_executor.h"
#include "ranks/rank_transport.h"
#include "wire/messages.h"

namespace pollen {

namespace ranks {

namespace {

class Service {
 public:
  Service(Ranks& ranks, const RankDuties& duties) : ranks_(ranks), duties_(duties) {
    if (duties.clients != nullptr) local_.emplace(ranks, *duties.view, *duties.clients, duties.share);
  }

  void run() {
    while (true) {
      ranks_.receive(0, frame_);
      if (kind_of(frame_) == Kind::end) return ranks_.send(0, bare(Kind::bye));
      try {
        take();
      } catch (...) {
        ranks_.send(0, failure_frame(ranks_.rank()));
      }
    }
  }

 private:
  void take() {
    if (is_round(frame_)) return round();
    Archive asked(ByteView(frame_).subspan(1));
    switch (kind_of(frame_)) {
      case Kind::query:
        return query(asked);
      case Kind::save:
        return reply([&](Archive& out) { duties_.clients->archive(out); });
      case Kind::load:
        duties_.view->archive(asked);
        duties_.clients->archive(asked);
        asked.finish();
        return reply([](Archive&) {});
      default:
        throw WireError(fmt::format("rank {}: found a frame of kind {}, accepted: {} to {}", ranks_.rank(), frame_[0],
                                    static_cast<int>(Kind::query), static_cast<int>(Kind::load)));
    }
  }

  template <class Write>
  void reply(const Write& write) {
    Archive archive = frame_of(Kind::done, std::move(out_));
    write(archive);
    out_ = archive.take();
    ranks_.send(0, out_);
  }

  void round() {
    local_->exchange(*duties_.server, [&] {
      wire::decode(frame_, heard_, chains_);
      duties_.server->follow(heard_);
    });
    reply([&](Archive& out) {
      for (Index block = local_->range().first; block < local_->range().finished; ++block)
        duties_.server->archive_block(block, out);
    });
  }

  void query(Archive& asked) {
    wire::Ask ask;
    std::int64_t batch = 1;
    ask.archive(asked);
    asked.field(batch);
    std::vector<std::uint32_t> who;
    asked.list(who);
    asked.finish();
    Query query = ask.query(batch);
    query.who = who;
    if (Query::by_client(query.what)) return columns(query, ask.rows, ask.columns);
    local_->query(query, ask.rows, ask.columns);
    reply([&](Archive& out) {
      for (Index block = local_->range().first; block < local_->range().finished; ++block)
        out.array(local_->sums()[block].flat());
    });
  }

  void columns(const Query& query, Index rows, Index asked) {
    const Index own = std::ssize(*duties_.clients);
    Panel answered(rows, std::clamp<Index>(asked - duties_.share.own.first, 0, own));
    local_->answer_columns(query, answered);
    reply([&](Archive& out) {
      for (Index i = 0; i < answered.columns(); ++i) out.numbers(answered.column(i));
    });
  }

  Ranks& ranks_;
  const RankDuties& duties_;
  std::optional<RankExecutor> local_;
  Broadcast heard_;
  std::vector<std::uint32_t> chains_;
  Bytes frame_, out_;
};

}  // namespace

Archive frame_of(Kind kind, Bytes memory) {
  memory.assign(1, static_cast<std::uint8_t>(kind));
  return Archive::behind(std::move(memory));
}

}  // namespace ranks

void serve(Ranks& ranks, const RankDuties& duties) { ranks::Service(ranks, duties).run(); }

void say_ready(Ranks& ranks, std::uint64_t fingerprint) {
  Archive archive = ranks::frame_of(ranks::Kind::done);
  archive.field(fingerprint);
  ranks.send(0, archive.take());
}

void say_failed(Ranks& ranks) { ranks.send(0, ranks::failure_frame(ranks.rank())); }

}  // namespace pollen
