// Rank 0's end: what is opened here goes to all ranks, every rank's finished blocks come back in client order.
#include "pollen/rank_transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "pollen/errors.h"
#include "pollen/math.h"
#include "pollen/messages.h"
#include "ranks/frames.h"
#include "ranks/section.h"

namespace pollen {

namespace {

using ranks::Kind;

// One frame of every other rank, in order. Where one has failed all are heard before it is thrown.
template <class Take>
void collect(Ranks& ranks, Bytes& frame, const Take& take) {
  Bytes failure;
  bool abandoned = false;
  for (int r = 1; r < ranks.size(); ++r) {
    ranks.receive(r, frame);
    if (ranks::kind_of(frame) == Kind::failed && failure.empty()) failure = frame;
    if (ranks::kind_of(frame) == Kind::abandoned) abandoned = true;
    if (ranks::kind_of(frame) != Kind::done || abandoned || !failure.empty()) continue;
    Archive archive(ByteView(frame).subspan(1));
    take(r, archive);
    archive.finish();
  }
  if (!failure.empty()) ranks::throw_failure(failure);
  if (abandoned) throw ranks::Abandoned();  // by this rank, whose own error is under way
}

class RankTransport final : public Transport {
 public:
  RankTransport(Ranks& ranks, Station& station, std::vector<Client>& clients, const RankShare& share)
      : ranks_(ranks), station_(station), section_(ranks, station, clients, share) {
    for (int r = 0; r < ranks.size(); ++r)
      borders_.emplace_back(client_range(r, ranks.size(), share.clients, share.numbers), share.clients);
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
        [&](Index block, Archive& archive) { server.archive_block(block, archive); });
  }

  void query(const Query& query, PanelView sum) override {
    ranks::Question question{query.what, copy(query.at), copy(query.direction), query.step, query.batch,
                             sum.rows,   sum.columns};
    Archive asked = ranks::frame_of(Kind::query, std::move(frame_));
    question.archive(asked);
    frame_ = asked.take();
    ranks_.send_all(frame_);
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
        [&](Index, Archive& archive) {
          archive.array(block.flat());
          add(block);
        });
  }

  void recipe_changed(const Recipe& recipe) override {
    wire::Settings settings{recipe.step, recipe.local ? recipe.local->smoothness : 0,
                            recipe.local ? recipe.local->convexity : 0};
    Archive archive = ranks::frame_of(Kind::settings);
    settings.archive(archive);
    ranks_.send_all(archive.take());
  }

  // What the other ranks' clients know goes behind that of this rank's, as one process would write it. All a rank's
  // state has the size that its state has now. Their stations are as this one.
  void archive_others(Archive& archive) override {
    std::vector<Bytes> states = fetch_states(ranks_);
    if (!archive.reading()) {
      for (Bytes& state : states) archive.bytes(state);
      return;
    }
    Archive heard;
    station_.archive(heard);
    const Bytes station = heard.take();
    for (Bytes& state : states) {
      archive.bytes(state);
      state.insert(state.begin(), station.begin(), station.end());
    }
    spread_states(ranks_, states);
  }

 private:
  // This rank's part, then every other's finished blocks; an error of this rank is thrown once all have been heard.
  template <class Own, class Take>
  void together(const Own& own, const Take& take) {
    std::exception_ptr failed;
    try {
      own();
    } catch (...) {
      failed = std::current_exception();
    }
    try {
      collect(ranks_, frame_, [&](int rank, Archive& archive) {
        const ranks::Borders& borders = borders_[static_cast<std::size_t>(rank)];
        for (Index block = borders.first; block < borders.done; ++block) take(block, archive);
      });
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
  Station& station_;
  ranks::Section section_;
  std::vector<ranks::Borders> borders_;  // of every rank
  Bytes frame_;
};

}  // namespace

std::unique_ptr<Transport> make_rank_transport(Ranks& ranks, Station& station, std::vector<Client>& clients,
                                               const RankShare& share) {
  return std::make_unique<RankTransport>(ranks, station, clients, share);
}

std::vector<Bytes> gather(Ranks& ranks, Bytes mine) {
  std::vector<Bytes> all;
  if (ranks.rank() != 0) {
    mine.insert(mine.begin(), static_cast<std::uint8_t>(Kind::done));
    ranks.send(0, mine);
    return all;
  }
  collect_personal(ranks, all);
  all.insert(all.begin(), std::move(mine));
  return all;
}

Bytes share(Ranks& ranks, Bytes of_rank_zero) {
  if (ranks.rank() == 0) {
    Bytes frame = ranks::bare(Kind::done);
    frame.insert(frame.end(), of_rank_zero.begin(), of_rank_zero.end());
    ranks.send_all(frame);
    return of_rank_zero;
  }
  Bytes frame;
  ranks.receive(0, frame);
  if (ranks::kind_of(frame) != Kind::done) throw RanksEnded();
  frame.erase(frame.begin());
  return frame;
}

void say_bye(Ranks& ranks) { ranks.send(0, ranks::bare(Kind::bye)); }

void await_ready(Ranks& ranks, std::uint64_t fingerprint) {
  Bytes frame;
  collect(ranks, frame, [&](int rank, Archive& archive) {
    std::uint64_t theirs = 0;
    archive.field(theirs);
    if (theirs != fingerprint)
      throw ConfigError(fmt::format("rank {}", rank),
                        "found another configuration or other data than rank 0 has; accepted: the same program and "
                        "the same files for all ranks");
  });
}

void ask_personal(Ranks& ranks, ByteView question) {
  Bytes frame = ranks::bare(Kind::personal);
  frame.insert(frame.end(), question.begin(), question.end());
  ranks.send_all(frame);
}

void collect_personal(Ranks& ranks, std::vector<Bytes>& answers) {
  answers.clear();
  Bytes frame;
  collect(ranks, frame, [&](int, Archive& archive) {
    answers.emplace_back(archive.left());
    archive.bytes(answers.back());
  });
}

std::vector<Bytes> fetch_states(Ranks& ranks) {
  ranks.send_all(ranks::bare(Kind::save));
  std::vector<Bytes> states;
  collect_personal(ranks, states);
  return states;
}

void spread_states(Ranks& ranks, const std::vector<Bytes>& states) {
  Bytes frame;
  for (std::size_t i = 0; i < states.size(); ++i) {
    frame = ranks::bare(Kind::load);
    frame.insert(frame.end(), states[i].begin(), states[i].end());
    ranks.send(static_cast<int>(i) + 1, frame);
  }
  collect(ranks, frame, [](int, Archive&) {});
}

RanksAtWork::~RanksAtWork() {
  try {
    ranks_.send_all(ranks::bare(Kind::end));
    Bytes frame;
    for (int r = 1; r < ranks_.size(); ++r) do
        ranks_.receive(r, frame);  // with what was not asked for any more
      while (ranks::kind_of(frame) != Kind::bye);
  } catch (const std::exception&) {  // a rank that is gone: what ends the job ends the others
  }
}

}  // namespace pollen
