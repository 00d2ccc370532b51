// Encodes what the server tells the participants of a round, and counts its bits.
#include <algorithm>
#include <cstring>

#include "math/math.h"
#include "pollen/round.h"
#include "round/server_step.h"
#include "round/traffic.h"

namespace pollen {

// Encodes θ whole or, with EF21-P, the change C(θ - w) of what clients know.
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

// Writes θ of every chain in the identity code: float64 words.
void Server::encode_whole() {
  const std::size_t column = static_cast<std::size_t>(setup_.dimension) * sizeof(double);
  broadcast_.payload.resize(static_cast<std::size_t>(setup_.chains) * column);
  for (std::size_t c = 0; c < broadcast_.offset.size(); ++c) broadcast_.offset[c] = c * column;
  if (column == 0) return;  // a model of which nothing is learnt
  each_chain([&](Index c, int) {
    const auto theta = position_.column(c);
    std::memcpy(broadcast_.payload.data() + broadcast_.offset[static_cast<std::size_t>(c)], theta.data(), column);
    if (!known_.empty()) std::ranges::copy(theta, known_.column(c).begin());
  });
}

// Each participant receives the payloads of its chains. A participant that missed broadcasts is sent w whole instead of
// the change. If it uses anchors and its own is old, it is also sent ζ, unless this broadcast is the new ζ.
void Server::count_downlink() {
  if (heard_.empty()) return count_payloads();
  counters_.broadcast_bits += 8 * std::ssize(broadcast_.payload);
  const auto words = 64 * static_cast<std::int64_t>(setup_.dimension);
  for (const Roster::Entry& entry : broadcast_.roster.clients) {
    const bool anchored = !broadcast_.refresh && recipe_.uses_anchor(setup_.sizes[entry.client]);
    for (const std::uint32_t chain : broadcast_.roster.chains(entry)) {
      std::uint64_t& heard = heard_[chain * setup_.sizes.size() + entry.client];
      std::int64_t bits = 8 * static_cast<std::int64_t>(broadcast_.chain_payload(chain).size());
      std::int64_t extra = 0;
      if (!broadcast_.whole && heard != round_) {
        bits = 0;
        extra += words;
      }
      if (anchored && heard < anchor_round_ + 1) extra += words;
      counters_.downlink_bits += bits + extra;
      counters_.broadcast_bits += extra;
      traffic_->add({.client = entry.client, .down_bits = bits + extra});
      heard = round_ + 1;
    }
  }
}

// Counts what participants are sent if none can have missed a broadcast. A sampler that does not always send something
// sends nothing for a chain without participants either.
void Server::count_payloads() {
  Scratch::Frame frame(work_.scratch);
  const auto times = work_.scratch.take<std::int64_t>(setup_.chains),
             bits = work_.scratch.take<std::int64_t>(setup_.chains);
  std::ranges::fill(times, 0);
  for (const std::uint32_t chain : broadcast_.roster.chain) ++times[chain];
  for (std::uint32_t c = 0; c < times.size(); ++c) {
    bits[c] = step_->sends(c) ? 8 * std::ssize(broadcast_.chain_payload(c)) : 0;
    counters_.downlink_bits += times[c] * bits[c];
    if (times[c] > 0 || step_->always_sends()) counters_.broadcast_bits += bits[c];
  }
  if (!traffic_->listens()) return;
  for (const Roster::Entry& entry : broadcast_.roster.clients)
    for (const std::uint32_t chain : broadcast_.roster.chains(entry))
      traffic_->add({.client = entry.client, .down_bits = bits[chain]});
}

}  // namespace pollen
