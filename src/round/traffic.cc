#include "round/traffic.h"

#include <fmt/format.h>

#include <algorithm>

#include "pollen/archive.h"
#include "pollen/round.h"

namespace pollen {

void Counters::archive(Archive& archive) {
  for (std::int64_t* count :
       {&rounds, &messages, &uplink_bits, &downlink_bits, &broadcast_bits, &setup_bits, &gradients, &wire_bits})
    archive.field(*count);
  archive.field(uplink_bits_bound);
}

namespace {

// The largest number that may be loaded, so that adding to it cannot overflow.
constexpr std::int64_t kMost = std::int64_t{1} << 60;
bool possible(std::int64_t n) { return n >= 0 && n < kMost; }

void add_to(ClientTraffic& load, const ClientTraffic& more) {
  load.down_bits += more.down_bits;
  load.gradients += more.gradients;
  load.up_bits += more.up_bits;
}

}  // namespace

void TrafficLog::open(std::span<const Roster::Entry> participants) {
  if (!listens()) return;
  open_.clear();
  for (const Roster::Entry& entry : participants) open_.push_back({.client = entry.client});
}

void TrafficLog::open(Index clients) {
  if (!listens()) return;
  open_.assign(static_cast<std::size_t>(clients), {});
  for (std::size_t i = 0; i < open_.size(); ++i) open_[i].client = static_cast<std::uint32_t>(i);
}

void TrafficLog::add(const ClientTraffic& more) {
  if (!listens()) return;
  // If nobody before the client is missing, its number is its place.
  const bool all = more.client < open_.size() && open_[more.client].client == more.client;
  const auto at =
      all ? open_.begin() + more.client : std::ranges::lower_bound(open_, more.client, {}, &ClientTraffic::client);
  if (at != open_.end() && at->client == more.client) add_to(*at, more);
}

void TrafficLog::start_over() {
  for (ClientTraffic& load : open_) load.gradients = load.up_bits = 0;
}

void TrafficLog::leave_out(std::span<const std::uint32_t> clients) {
  std::erase_if(open_, [&](const ClientTraffic& load) { return std::ranges::binary_search(clients, load.client); });
}

void TrafficLog::close(bool told) {
  if (!listens()) return;
  if (told && earlier_.empty()) {
    listener_(open_);
  } else {
    set_aside();
    if (told) listener_(earlier_);
    if (told) earlier_.clear();
  }
  for (ClientTraffic& load : open_) load = {.client = load.client};
}

// Adds the open exchange to the earlier ones. Both lists are in client order, and so is the result.
void TrafficLog::set_aside() {
  const auto same = [](const ClientTraffic& a, const ClientTraffic& b) { return a.client == b.client; };
  if (std::ranges::equal(open_, earlier_, same)) {
    for (std::size_t i = 0; i < open_.size(); ++i) add_to(earlier_[i], open_[i]);
    return;
  }
  std::vector<ClientTraffic> both;
  std::ranges::merge(earlier_, open_, std::back_inserter(both), {}, &ClientTraffic::client, &ClientTraffic::client);
  earlier_.clear();
  for (const ClientTraffic& load : both)
    if (!earlier_.empty() && same(earlier_.back(), load))
      add_to(earlier_.back(), load);
    else
      earlier_.push_back(load);
}

void TrafficLog::archive_done(Archive& archive, std::size_t first, std::size_t last) {
  if (!listens()) return;
  for (ClientTraffic& load : std::span(open_).subspan(first, last - first))
    for (std::int64_t* n : {&load.gradients, &load.up_bits}) {
      archive.field(*n);
      if (!possible(*n))
        throw WireError(fmt::format("a block's sums: found {} gradients or bits of client {}, accepted: 0 to {}", *n,
                                    load.client, kMost - 1));
    }
}

void TrafficLog::archive(Archive& archive, Index clients) {
  if (!listens()) return;
  std::vector<std::uint32_t> who;
  std::vector<std::int64_t> numbers;
  for (const ClientTraffic& load : earlier_) {
    who.push_back(load.client);
    numbers.insert(numbers.end(), {load.down_bits, load.gradients, load.up_bits});
  }
  archive.list(who);
  archive.list(numbers);
  if (numbers.size() != 3 * who.size())
    throw WireError(fmt::format("saved state: found {} numbers of traffic for {} clients, accepted: 3 per client",
                                numbers.size(), who.size()));
  if (const auto at = std::ranges::adjacent_find(who, std::greater_equal{}); at != who.end())
    throw WireError(fmt::format("saved state: found traffic of client {} after client {}, accepted: ascending order",
                                *std::next(at), *at));
  if (!who.empty() && static_cast<Index>(who.back()) >= clients)
    throw WireError(
        fmt::format("saved state: found traffic of client {}, accepted: clients below {}", who.back(), clients));
  if (const auto at = std::ranges::find_if_not(numbers, possible); at != numbers.end())
    throw WireError(fmt::format("saved state: found {} gradients or bits, accepted: 0 to {}", *at, kMost - 1));
  earlier_.clear();
  for (std::size_t i = 0; i < who.size(); ++i)
    earlier_.push_back({who[i], numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]});
}

}  // namespace pollen
