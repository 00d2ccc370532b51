#include "run/participation_tally.h"

#include <fmt/format.h>

#include <algorithm>

namespace pollen {

ParticipationTally::ParticipationTally(Index clients, std::int64_t iterations)
    : iterations_(std::max<std::int64_t>(1, iterations)) {
  const Index groups = std::min(clients, kMostGroups);
  begin_.resize(static_cast<std::size_t>(groups) + 1);
  for (Index g = 0; g <= groups; ++g) begin_[static_cast<std::size_t>(g)] = groups == 0 ? 0 : g * clients / groups;
  rounds_.assign(static_cast<std::size_t>(std::min<std::int64_t>(iterations_, kMostBins)), 0);
  messages_.assign(static_cast<std::size_t>(groups) * rounds_.size(), 0);
}

void ParticipationTally::add(std::int64_t iteration, const Roster& roster) {
  if (rounds_.empty() || iteration < 1 || iteration > iterations_) return;
  const auto bins = static_cast<std::int64_t>(rounds_.size());
  const auto bin = static_cast<std::size_t>((iteration - 1) * bins / iterations_);
  ++rounds_[bin];
  const std::span<std::int64_t> here = std::span(messages_).subspan(bin * (begin_.size() - 1), begin_.size() - 1);
  std::size_t group = 0;  // entries are in client order
  for (const Roster::Entry& entry : roster.clients) {
    while (static_cast<Index>(entry.client) >= begin_[group + 1]) ++group;
    here[group] += entry.count;
  }
}

// The largest iteration i with ⌊(i - 1)·bins/iterations⌋ = bin.
std::int64_t ParticipationTally::last_iteration(Index bin) const {
  const std::int64_t bins = this->bins();
  return ((bin + 1) * iterations_ + bins - 1) / bins;
}

std::int64_t ParticipationTally::messages(Index group, Index bin) const {
  return messages_[static_cast<std::size_t>(bin) * (begin_.size() - 1) + static_cast<std::size_t>(group)];
}

bool ParticipationTally::empty() const {
  return std::ranges::all_of(rounds_, [](std::int64_t n) { return n == 0; });
}

// Saves only the bins reached so far, so that an early checkpoint is small.
void ParticipationTally::archive(Archive& archive) {
  std::uint64_t used = rounds_.size();
  while (used > 0 && rounds_[used - 1] == 0) --used;
  archive.field(used);
  if (used > rounds_.size())
    throw WireError(fmt::format("saved state: found {} bins of rounds, accepted: up to {}", used, rounds_.size()));
  if (archive.reading()) {
    std::ranges::fill(rounds_, 0);
    std::ranges::fill(messages_, 0);
  }
  archive.array(std::span(rounds_).first(used));
  archive.array(std::span(messages_).first(used * (begin_.size() - 1)));
}

}  // namespace pollen
