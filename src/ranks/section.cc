#include "section.h"

#include <algorithm>
#include <exception>

#include "frames.h"
#include "math/math.h"

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

Section::Section(Ranks& ranks, ClientView& view, Clients& clients, const RankShare& share)
    : ranks_(ranks),
      view_(view),
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
        absorb_kept(server);
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

// Replies of a shared first block are kept until its sum arrives.
void Section::answer_round(Server& server) {
  view_.receive(server.broadcast(), work(0));
  find_pieces(server);
  std::span<const PlaceRow> rest = pieces_;
  if (borders_.open_front) {
    answer_kept(server.broadcast().roster);
    rest = rest.subspan(1);
  }
  if (few(rest)) return answer_by_client(server, rest);
  team_.run(std::ssize(rest), [&](Index item, int member) {
    answer_and_absorb(server, rest[static_cast<std::size_t>(item)], members_[static_cast<std::size_t>(member)]);
  });
}

void Section::answer_kept(const Roster& roster) {
  const PlaceRow& piece = pieces_.front();
  const std::size_t together = team_.size() > 1 ? 1 : answer_together(view_);
  if (replies_.size() < piece.size()) replies_.resize(piece.size());
  team_.run(static_cast<Index>((piece.size() + together - 1) / together), [&](Index item, int member) {
    Member& m = members_[static_cast<std::size_t>(member)];
    const std::size_t begin = static_cast<std::size_t>(item) * together, n = std::min(together, piece.size() - begin);
    for (std::size_t i = 0; i < n; ++i) {
      const Roster::Entry& entry = roster.clients[piece.first + begin + i];
      m.requests[i] = {&client(entry.client), roster.chains(entry), &replies_[begin + i]};
    }
    answer_all(view_, {m.requests.data(), n}, m.work);
  });
}

void Section::answer_by_client(Server& server, std::span<const PlaceRow> pieces) {
  const Roster& roster = server.broadcast().roster;
  ordered_.run(
      team_.team(), pieces,
      [&](std::size_t e, Reply& reply, int member) {
        const Roster::Entry& entry = roster.clients[e];
        client(entry.client).answer(view_, roster.chains(entry), reply, work(member));
      },
      [&](std::size_t e, Reply& reply, int member) {
        server.absorb(reply, roster.clients[e], work(member));
        client(reply.client).acknowledge(reply, true);
      });
}

void Section::absorb_kept(Server& server) {
  const PlaceRow& piece = pieces_.front();
  const std::span entries(server.broadcast().roster.clients);
  const std::span replies(replies_.data(), piece.size());
  for (std::size_t e = 0; e < replies.size(); e += kTogether) {
    const std::size_t n = std::min(kTogether, replies.size() - e);
    server.absorb_all(replies.subspan(e, n), entries.subspan(piece.first + e, n), work(0));
  }
  for (const Reply& reply : replies) client(reply.client).acknowledge(reply, true);
}

void Section::answer_and_absorb(Server& server, const PlaceRow& piece, Member& member) {
  const Roster& roster = server.broadcast().roster;
  const std::span entries(roster.clients);
  const std::size_t together = answer_together(view_);
  for (std::size_t e = piece.first; e < piece.last; e += together) {
    const std::size_t n = std::min(together, piece.last - e);
    for (std::size_t i = 0; i < n; ++i)
      member.requests[i] = {&client(entries[e + i].client), roster.chains(entries[e + i]), &member.replies[i]};
    answer_all(view_, {member.requests.data(), n}, member.work);
    server.absorb_all({member.replies.data(), n}, entries.subspan(e, n), member.work);
    for (std::size_t i = 0; i < n; ++i) member.requests[i].client->acknowledge(member.replies[i], true);
  }
}

void Section::query(const Query& query, Index rows, Index columns) {
  relay([&] { answer_query(query, rows, columns); },
        [&](Archive& partial) {
          partial.array(sum(borders_.first).flat());
          for (const Panel& answered : answers_) add(answered, sum(borders_.first));
        },
        [&](Archive& partial) { partial.array(sum(borders_.last - 1).flat()); });
}

void Section::answer_query(const Query& query, Index rows, Index columns) {
  sums_.resize(static_cast<std::size_t>(borders_.last - borders_.first));
  for (Panel& sum : sums_) sum = Panel(rows, columns);
  std::vector<PlaceRow> blocks;  // of our clients, by place
  for (Index block = borders_.first; block < borders_.last; ++block)
    blocks.push_back({static_cast<std::size_t>(std::max(own_.first, block * borders_.block) - own_.first),
                      static_cast<std::size_t>(std::min(own_.last, (block + 1) * borders_.block) - own_.first)});
  std::span<const PlaceRow> rest = blocks;
  if (borders_.open_front) {
    answers_.resize(blocks.front().size());
    team_.run(std::ssize(answers_), [&](Index item, int member) {
      answer_one(query, static_cast<std::size_t>(item), answers_[static_cast<std::size_t>(item)], member);
    });
    rest = rest.subspan(1);
  }
  if (few(rest)) {
    answers_ordered_.run(
        team_.team(), rest,
        [&](std::size_t place, Panel& answered, int member) { answer_one(query, place, answered, member); },
        [&](std::size_t place, Panel& answered, int) {
          add(answered, sum((own_.first + static_cast<Index>(place)) / borders_.block));
        });
    return;
  }
  team_.run(std::ssize(rest), [&](Index item, int member) {
    const PlaceRow& block = rest[static_cast<std::size_t>(item)];
    Workspace& own_work = work(member);
    Scratch::Frame frame(own_work.scratch);
    const PanelView answered = own_work.scratch.panel(rows, columns);
    Panel& total = sum((own_.first + static_cast<Index>(block.first)) / borders_.block);
    for (std::size_t place = block.first; place < block.last; ++place) {
      pollen::answer(clients_, place, view_, query, answered, own_work);
      add(answered, total);
    }
  });
}

void Section::answer_one(const Query& query, std::size_t place, Panel& answered, int member) {
  fit(sums_.front(), answered);
  pollen::answer(clients_, place, view_, query, answered, work(member));
}

void Section::answer_columns(const Query& query, PanelView out) {
  pollen::answer_columns(clients_, view_, query, out, team_.team(),
                         [this](int member) -> Workspace& { return work(member); });
}

}  // namespace pollen::ranks
