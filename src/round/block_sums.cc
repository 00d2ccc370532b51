#include "round/block_sums.h"

#include <algorithm>

#include "math/math.h"

namespace pollen {

Index block_size_for(Index clients) { return std::max<Index>(32, (clients + 63) / 64); }

BlockRange::BlockRange(const ClientRange& clients_here, Index clients)
    : own(clients_here), block_size(block_size_for(clients)) {
  first = own.first / block_size;
  last = own.size() == 0 ? first : (own.last + block_size - 1) / block_size;
  open_front = own.size() > 0 && own.first % block_size != 0;
  open_back = own.size() > 0 && own.last % block_size != 0 && own.last != clients;
  finished = open_back ? last - 1 : last;
}

ClientRange BlockRange::clients_of(Index block) const {
  return {std::max(own.first, block * block_size), std::min(own.last, (block + 1) * block_size)};
}

std::pair<std::size_t, std::size_t> BlockRange::entries_of(Index block, const Roster& roster) const {
  const auto place = [&](Index client) {
    const auto at = std::ranges::lower_bound(
        roster.clients, client, {}, [](const Roster::Entry& entry) { return static_cast<Index>(entry.client); });
    return static_cast<std::size_t>(at - roster.clients.begin());
  };
  const ClientRange clients = clients_of(block);
  return {place(clients.first), place(clients.last)};
}

void BlockSums::reset(Index rows, Index columns, const Team& team) {
  for (Panel& sum : sums_) fit(rows, columns, sum);
  team.over_chains(columns, rows, [&](Index c, int) {
    for (Panel& sum : sums_) std::ranges::fill(sum.column(c), 0.0);
  });
}

void BlockSums::add(Index client, ConstPanelView values) { math::add(values, of_client(client)); }

void BlockSums::add_finished(PanelView total) const {
  for (Index b = 0; b < range_.finished - range_.first; ++b) math::add(sums_[static_cast<std::size_t>(b)], total);
}

void BlockSums::merge() {
  for (std::size_t b = 1; b < sums_.size(); ++b) math::add(sums_[b].flat(), sums_.front().flat());
}

}  // namespace pollen
