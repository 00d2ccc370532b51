#include "ranks/section.h"

#include <algorithm>
#include <exception>

#include "pollen/math.h"
#include "ranks/frames.h"

namespace pollen::ranks {

namespace {

void add(ConstPanelView answered, Panel& total) {
  for (Index c = 0; c < total.columns(); ++c) math::add(answered.column(c), total.column(c));
}

}  // namespace

Borders::Borders(const ClientRange& own, Index clients) : block(block_size_for(clients)) {
  first = own.first / block;
  last = own.size() == 0 ? first : (own.last + block - 1) / block;
  open_front = own.size() > 0 && own.first % block != 0;
  open_back = own.size() > 0 && own.last % block != 0 && own.last != clients;
  done = open_back ? last - 1 : last;
}

Section::Section(Ranks& ranks, Station& station, Clients& clients, const RankShare& share)
    : ranks_(ranks),
      station_(station),
      clients_(clients),
      own_(share.own),
      borders_(share.own, share.clients),
      team_(share.threads),
      members_(static_cast<std::size_t>(team_.size())) {}

// Whatever goes wrong, the rank before is heard and the next one is told.
void Section::relay(const std::function<void()>& work, const Carry& join, const Carry& leave) {
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
  if (borders_.open_front) {
    ranks_.receive(ranks_.rank() - 1, partial_);
    guarded([&] {
      if (kind_of(partial_) != Kind::done) throw Abandoned();
      Archive archive(ByteView(partial_).subspan(1));
      join(archive);
    });
  }
  if (borders_.open_back) {
    Archive archive = frame_of(failed ? Kind::abandoned : Kind::done, std::move(partial_));
    if (!failed) leave(archive);
    partial_ = archive.take();
    ranks_.send(ranks_.rank() + 1, partial_);
  }
  if (failed) std::rethrow_exception(failed);
}

void Section::exchange(Server& server, const std::function<void()>& open) {
  relay(
      [&] {
        open();
        answer_round(server);
      },
      [&](Archive& partial) {
        server.archive_block(borders_.first, partial);
        absorb_kept(server, pieces_.front(), members_[0].work);
      },
      [&](Archive& partial) { server.archive_block(borders_.last - 1, partial); });
}

void Section::find_pieces(const Server& server) {
  pieces_.clear();
  const auto& entries = server.broadcast().roster.clients;
  const auto place = [&](Index client) {
    const auto before = [](const Roster::Entry& e, Index c) { return static_cast<Index>(e.client) < c; };
    return static_cast<std::size_t>(std::lower_bound(entries.begin(), entries.end(), client, before) - entries.begin());
  };
  for (Index block = borders_.first; block < borders_.last; ++block)
    pieces_.push_back({place(std::max(own_.first, block * borders_.block)),
                       place(std::min(own_.last, (block + 1) * borders_.block))});
}

// Replies of a shared first block are kept until its sum arrives; where threads would have too few blocks to share, all
// are.
void Section::answer_round(Server& server) {
  station_.receive(server.broadcast(), members_[0].work);
  find_pieces(server);
  if (pieces_.empty()) return;
  const Roster& roster = server.broadcast().roster;
  const auto pieces = static_cast<Index>(pieces_.size());
  const std::size_t skip = borders_.open_front ? 1 : 0;
  const bool all = few(pieces);
  const std::size_t kept_end = all ? pieces_.back().last : skip == 1 ? pieces_[0].last : pieces_[0].first;
  answer_kept(roster, kept_end - pieces_[0].first, all ? 1 : answer_together(station_));
  team_.run(pieces - static_cast<Index>(skip), [&](Index item, int member) {
    const Piece& piece = pieces_[static_cast<std::size_t>(item) + skip];
    Member& m = members_[static_cast<std::size_t>(member)];
    if (all)
      absorb_kept(server, piece, m.work);
    else
      answer_and_absorb(server, piece, m);
  });
}

void Section::answer_kept(const Roster& roster, std::size_t many, std::size_t together) {
  const std::size_t first = pieces_[0].first;
  if (replies_.size() < many) replies_.resize(many);
  team_.run(static_cast<Index>((many + together - 1) / together), [&](Index item, int member) {
    Member& m = members_[static_cast<std::size_t>(member)];
    const std::size_t begin = static_cast<std::size_t>(item) * together, n = std::min(together, many - begin);
    for (std::size_t i = 0; i < n; ++i) {
      const Roster::Entry& entry = roster.clients[first + begin + i];
      m.turns[i] = {&client(entry.client), roster.chains(entry), &replies_[begin + i]};
    }
    answer_all(station_, {m.turns.data(), n}, m.work);
  });
}

void Section::absorb_kept(Server& server, const Piece& piece, Workspace& work) {
  const std::span entries(server.broadcast().roster.clients);
  const std::span replies(replies_.data() + (piece.first - pieces_[0].first), piece.last - piece.first);
  for (std::size_t e = 0; e < replies.size(); e += kTogether) {
    const std::size_t n = std::min(kTogether, replies.size() - e);
    server.absorb_all(replies.subspan(e, n), entries.subspan(piece.first + e, n), work);
  }
  for (const Reply& reply : replies) client(reply.client).settle(reply, true);
}

void Section::answer_and_absorb(Server& server, const Piece& piece, Member& member) {
  const Roster& roster = server.broadcast().roster;
  const std::span entries(roster.clients);
  const std::size_t together = answer_together(station_);
  for (std::size_t e = piece.first; e < piece.last; e += together) {
    const std::size_t n = std::min(together, piece.last - e);
    for (std::size_t i = 0; i < n; ++i)
      member.turns[i] = {&client(entries[e + i].client), roster.chains(entries[e + i]), &member.replies[i]};
    answer_all(station_, {member.turns.data(), n}, member.work);
    server.absorb_all({member.replies.data(), n}, entries.subspan(e, n), member.work);
    for (std::size_t i = 0; i < n; ++i) member.turns[i].client->settle(member.replies[i], true);
  }
}

void Section::query(const Query& query, Index rows, Index columns) {
  relay([&] { answer_query(query, rows, columns); },
        [&](Archive& partial) {
          partial.array(sum(borders_.first).flat());
          add_answers(own_.first, std::min(own_.last, (borders_.first + 1) * borders_.block), sum(borders_.first));
        },
        [&](Archive& partial) { partial.array(sum(borders_.last - 1).flat()); });
}

void Section::answer_query(const Query& query, Index rows, Index columns) {
  const Index blocks = borders_.last - borders_.first, skip = borders_.open_front ? 1 : 0;
  sums_.resize(static_cast<std::size_t>(blocks));
  for (Panel& sum : sums_) sum = Panel(rows, columns);
  const bool all = few(blocks);
  const Index kept_end = all ? own_.last : std::min(own_.last, (borders_.first + skip) * borders_.block);
  const Index kept = blocks == 0 ? 0 : std::max<Index>(0, kept_end - own_.first);
  answers_.resize(static_cast<std::size_t>(kept));
  team_.run(kept, [&](Index item, int member) {
    Panel& answered = answers_[static_cast<std::size_t>(item)];
    if (answered.rows() != rows || answered.columns() != columns) answered = Panel(rows, columns);
    pollen::answer(clients_, static_cast<std::size_t>(item), station_, query, answered,
                   members_[static_cast<std::size_t>(member)].work);
  });
  team_.run(blocks - skip, [&](Index item, int member) {
    const Index block = borders_.first + skip + item;
    const Index first = std::max(own_.first, block * borders_.block);
    const Index last = std::min(own_.last, (block + 1) * borders_.block);
    if (all) return add_answers(first, last, sum(block));
    Workspace& work = members_[static_cast<std::size_t>(member)].work;
    Scratch::Frame frame(work.scratch);
    const PanelView answered = work.scratch.panel(rows, columns);
    for (Index i = first; i < last; ++i) {
      pollen::answer(clients_, static_cast<std::size_t>(i - own_.first), station_, query, answered, work);
      add(answered, sum(block));
    }
  });
}

void Section::add_answers(Index first, Index last, Panel& total) const {
  for (Index i = first; i < last; ++i) add(answers_[static_cast<std::size_t>(i - own_.first)], total);
}

}  // namespace pollen::ranks
