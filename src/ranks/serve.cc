// The other ranks' end: one frame in, one out.
#include <algorithm>
#include <optional>

#include "frames.h"
#include "pollen/errors.h"
#include "ranks/rank_transport.h"
#include "section.h"
#include "wire/messages.h"

namespace pollen {

namespace ranks {

namespace {

void archive_panel(Archive& a, Panel& panel) {
  std::int64_t rows = panel.rows(), columns = panel.columns();
  a.field(rows);
  a.field(columns);
  if (a.reading()) {
    if (rows < 0 || columns < 0 || (rows > 0 && columns > static_cast<std::int64_t>(a.left() / sizeof(double)) / rows))
      throw WireError("question: a panel larger than the frame");
    panel = Panel(rows, rows == 0 ? 0 : columns);
  }
  for (Index c = 0; c < panel.columns(); ++c) a.numbers(panel.column(c));
}

class Service {
 public:
  Service(Ranks& ranks, const RankDuties& duties) : ranks_(ranks), duties_(duties) {
    if (duties.clients != nullptr) section_.emplace(ranks, *duties.view, *duties.clients, duties.share);
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
      case Kind::settings:
        return settings(asked);
      case Kind::save:
        return reply(duties_.archive);
      case Kind::load:
        if (duties_.view != nullptr) duties_.view->archive(asked);
        duties_.archive(asked);
        asked.finish();
        return reply([](Archive&) {});
      default:
        throw WireError("a frame of no known kind");
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
    section_->exchange(*duties_.server, [&] {
      wire::decode(frame_, heard_, chains_);
      duties_.server->follow(heard_);
    });
    reply([&](Archive& out) {
      for (Index block = section_->borders().first; block < section_->borders().done; ++block)
        duties_.server->archive_block(block, out);
    });
  }

  void query(Archive& asked) {
    Question question;
    question.archive(asked);
    asked.finish();
    if (Query::by_client(question.what)) return columns(question);
    section_->query(question.query(), question.rows, question.columns);
    reply([&](Archive& out) {
      for (Index block = section_->borders().first; block < section_->borders().done; ++block)
        out.array(section_->sum(block).flat());
    });
  }

  void columns(const Question& question) {
    const Index own = std::ssize(*duties_.clients);
    Panel answered(question.rows, std::clamp<Index>(question.columns - duties_.share.own.first, 0, own));
    section_->answer_columns(question.query(), answered);
    reply([&](Archive& out) {
      for (Index i = 0; i < answered.columns(); ++i) out.numbers(answered.column(i));
    });
  }

  void settings(Archive& asked) {
    wire::Settings settings;
    settings.archive(asked);
    asked.finish();
    duties_.set_step(settings.step, settings.smoothness, settings.convexity);
  }

  Ranks& ranks_;
  const RankDuties& duties_;
  std::optional<Section> section_;
  Broadcast heard_;
  std::vector<std::uint32_t> chains_;
  Bytes frame_, out_;
};

}  // namespace

Archive frame_of(Kind kind, Bytes memory) {
  memory.assign(1, static_cast<std::uint8_t>(kind));
  return Archive::behind(std::move(memory));
}

void Question::archive(Archive& a) {
  auto byte = static_cast<std::uint8_t>(what);
  a.field(byte);
  what = static_cast<Query::What>(byte);
  archive_panel(a, at);
  archive_panel(a, direction);
  for (std::int64_t* n : {&batch, &rows, &columns}) a.field(*n);
  a.field(step);
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
