// What ranks do together besides rounds: sharing the clients, set-up, saving and loading states, and the end of the
// work.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frames.h"
#include "pollen/errors.h"
#include "ranks/rank_transport.h"
#include "ranks/ranks.h"
#include "round/block_sums.h"

namespace pollen {

using ranks::collect;
using ranks::Kind;

namespace {

constexpr Index kMostKept = Index{1} << 23;  // the most numbers in replies that wait for the previous rank: 64 MiB

}  // namespace

std::vector<Bytes> gather(Ranks& ranks, Bytes mine) {
  if (ranks.rank() != 0) {
    mine.insert(mine.begin(), static_cast<std::uint8_t>(Kind::done));
    ranks.send(0, mine);
    return {};
  }
  std::vector<Bytes> all = {std::move(mine)};
  Bytes frame;
  collect(ranks, frame, [&](int, Archive& archive) {
    all.emplace_back(archive.left());
    archive.bytes(all.back());
  });
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

RanksAtWork::~RanksAtWork() {
  try {
    ranks_.send_all(ranks::bare(Kind::end));
    Bytes frame;
    for (int r = 1; r < ranks_.size(); ++r) do
        ranks_.receive(r, frame);  // skips answers that nobody waits for any more
      while (ranks::kind_of(frame) != Kind::bye);
  } catch (const std::exception&) {  // a rank is gone; whatever ends the job ends the other ranks
  }
}

ClientRange client_range(int rank, int size, Index clients, Index numbers) {
  const Index block = block_size_for(clients);
  const Index unit = block > kMostKept / std::max<Index>(1, numbers) ? block : 1;
  const Index units = (clients + unit - 1) / unit;
  const auto before = [&](Index r) {
    return std::min(clients, unit * (r * (units / size) + std::min(r, units % size)));
  };
  return {before(rank), before(rank + 1)};
}

}  // namespace pollen
