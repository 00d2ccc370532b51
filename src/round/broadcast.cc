// What the server tells the participants of a round, and what that costs.
#include <algorithm>
#include <cstring>

#include "math/math.h"
#include "pollen/round.h"
#include "round/traffic.h"

namespace pollen {

// θ whole, or with EF21-P the change C(θ - w) of what clients know.
void Server::encode_broadcast() {
  broadcast_.whole = !recipe_.down.feedback || round_ == 0;
  if (broadcast_.segment.starts && broadcast_.whole) return encode_whole();
  broadcast_.payload.clear();
  std::ranges::fill(broadcast_.offset, std::size_t{0});
  if (!broadcast_.segment.starts) return;
  Scratch::Frame frame(work_.scratch);
  const auto decoded = work_.scratch.take<double>(setup_.dimension);
  const auto change = work_.scratch.take<double>(setup_.dimension);
  for (Index c = 0; c < setup_.chains; ++c) {
    broadcast_.offset[static_cast<std::size_t>(c)] = broadcast_.payload.size();
    const auto theta = position_.column(c);
    Stream stream = compress_[static_cast<std::size_t>(c)];
    stream.round = round_;
    math::subtract(theta, known_.column(c), change);
    down_->encode(change, stream, decoded, &broadcast_.payload, work_.scratch);
    math::add(decoded, known_.column(c));
  }
  broadcast_.offset.back() = broadcast_.payload.size();
}

// As the identity code has it.
void Server::encode_whole() {
  const std::size_t column = static_cast<std::size_t>(setup_.dimension) * sizeof(double);
  broadcast_.payload.resize(static_cast<std::size_t>(setup_.chains) * column);
  for (std::size_t c = 0; c < broadcast_.offset.size(); ++c) broadcast_.offset[c] = c * column;
  each_chain([&](Index c, int) {
    const auto theta = position_.column(c);
    std::memcpy(broadcast_.payload.data() + broadcast_.offset[static_cast<std::size_t>(c)], theta.data(), column);
    if (!known_.empty()) std::ranges::copy(theta, known_.column(c).begin());
  });
}

// Each participant receives its chains' payloads; one that missed broadcasts gets w whole in place of the change, and ζ
// where its own is old (unless this very broadcast is ζ).
void Server::count_downlink() {
  const auto words = 64 * static_cast<std::int64_t>(setup_.dimension);
  counters_.broadcast_bits += 8 * static_cast<std::int64_t>(broadcast_.payload.size());
  if (heard_.empty()) {
    std::int64_t all = 0;  // every client of the roster hears its chains, and none can have missed any
    if (recipe_.participation.policy == ParticipationPolicy::full || first_round_whole()) {
      all = 8 * static_cast<std::int64_t>(broadcast_.payload.size()) * static_cast<std::int64_t>(setup_.sizes.size());
    } else {
      all = words * static_cast<std::int64_t>(broadcast_.roster.chain.size());
    }
    counters_.downlink_bits += all;
    return log_downlink();
  }
  for (const Roster::Entry& entry : broadcast_.roster.clients) {
    for (const std::uint32_t chain : broadcast_.roster.chains(entry)) {
      std::uint64_t& heard = heard_[chain * setup_.sizes.size() + entry.client];
      std::int64_t bits = 8 * static_cast<std::int64_t>(broadcast_.chain_payload(chain).size());
      std::int64_t extra = 0;
      if (!broadcast_.whole && heard != round_) {
        bits = 0;
        extra += words;
      }
      if (recipe_.oracle == OracleKind::svrg && !broadcast_.refresh && heard < anchor_round_ + 1) extra += words;
      counters_.downlink_bits += bits + extra;
      counters_.broadcast_bits += extra;
      traffic_->add({.client = entry.client, .down_bits = bits + extra});
      heard = round_ + 1;
    }
  }
}

// Where nobody can have missed anything.
void Server::log_downlink() {
  if (!traffic_->listens()) return;
  for (const Roster::Entry& entry : broadcast_.roster.clients)
    for (const std::uint32_t chain : broadcast_.roster.chains(entry))
      traffic_->add({.client = entry.client, .down_bits = 8 * std::ssize(broadcast_.chain_payload(chain))});
}

}  // namespace pollen
