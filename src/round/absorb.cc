// Adds replies to the sums of their blocks. To be fast, the server adds whole panels, or several replies for single
// chains, at once if it can.
#include <fmt/format.h>

#include <algorithm>

#include "math/math.h"
#include "pollen/archive.h"
#include "pollen/errors.h"
#include "pollen/round.h"
#include "round/block_sums.h"
#include "round/frame_size.h"
#include "round/server_step.h"
#include "round/traffic.h"

namespace pollen {

Counters& Server::counters_of(std::uint32_t client) {
  return block_counters_[static_cast<std::size_t>(plain_->range().block_of(client))];
}

bool Server::adds_plainly() const {
  return broadcast_.roster.uniform && !step_->weighs_messages() && recipe_.up.memory != Memory::reference;
}

void Server::check_answers(const Reply& reply, const Roster::Entry& entry) const {
  if (reply.round != round_ || reply.first != broadcast_.segment.first || reply.silent == broadcast_.segment.ends ||
      reply.client != entry.client || reply.whole != first_round_whole() ||
      !std::ranges::equal(reply.chains, broadcast_.roster.chains(entry)))
    throw WireError(fmt::format(
        "round {0}, client {1}: the reply answers another question: found round {2} from iteration {3} of "
        "client {4} for {5} chains, accepted: round {0} from iteration {6} of client {1} for {7} chains, {8}",
        round_, entry.client + 1, reply.round, reply.first, reply.client + std::uint64_t{1}, reply.chains.size(),
        broadcast_.segment.first, entry.count, first_round_whole() ? "whole" : "compressed"));
  if (reply.refreshes != (broadcast_.refresh && recipe_.up.memory == Memory::reference) ||
      (reply.has_bytes && reply.reference_bytes > reply.payload.size()))
    throw WireError(fmt::format("round {}, client {}: found references of {} bytes, accepted: {}", round_,
                                entry.client + 1, reply.reference_bytes,
                                broadcast_.refresh ? "those of a round in which anchors move" : "none"));
  if (!reply.silent && reply.joined != compressor_of(reply).joins())
    throw WireError(fmt::format("round {}, client {}: found parts {}, accepted: {}", round_, entry.client + 1,
                                reply.joined ? "as one bit string" : "one by one",
                                reply.joined ? "one by one" : "as one bit string"));
  const auto rows = static_cast<std::int64_t>(reply.chains.size()) * setup_.sizes[entry.client];
  const std::int64_t most = step_->most_evaluations_per_row(broadcast_);
  if (reply.gradients < 0 || reply.gradients / most > rows)
    throw WireError(fmt::format("round {}, client {}: the reply counts {} gradients; accepted: 0 to {}", round_,
                                entry.client + 1, reply.gradients, most * rows));
}

const Compressor& Server::compressor_of(const Reply& reply) const {
  return reply.whole ? *whole_ : *setup_.compressors[channel_of(reply.client)];
}

AbsurdReply::AbsurdReply(double s, double l, std::uint64_t round, std::uint32_t c)
    : NumericError(
          fmt::format("the reply has the number {:.3g}, more than {:.0e} times the largest since burn-in, {:.3g}; "
                      "the round is not applied",
                      s, Server::kAbsurd, l),
          static_cast<std::int64_t>(round), c),
      size(s),
      largest(l),
      client(c) {}

// Takes note of the largest number in a client's message, and refuses one that is absurd.
void Server::judge(std::uint32_t client, double size) {
  if (std::ranges::binary_search(setup_.believed, client)) return;
  Largest& block = block_largest_[static_cast<std::size_t>(plain_->range().block_of(client))];
  if (!(size <= block.size)) block = {size, client};
  if (largest_ > 0 && judges() && !(size <= kAbsurd * largest_)) throw AbsurdReply(size, largest_, round_, client);
}

void Server::keep_largest() {
  largest_before_ = largest_now_.size;
  largest_now_ = *std::ranges::max_element(block_largest_, {}, &Largest::size);
  if (measures()) largest_ = std::max(largest_, largest_now_.size);
}

Server::Absorbed Server::absorb(const Reply& reply, const Roster::Entry& entry, Workspace& work) {
  check_answers(reply, entry);
  log_answer(reply);
  const std::size_t parts = reply.chains.size();
  Counters& counters = counters_of(reply.client);
  counters.gradients += reply.gradients;
  if (reply.silent) return {};
  for (std::size_t p = 0; p < parts; ++p) count_part(reply, p, counters);
  counters.wire_bits += frame_bits(reply);
  if (reply.refreshes) absorb_references(reply, broadcast_.roster.weights(entry), work);
  if (!reply.has_bytes) {
    const double size = math::max_abs(reply.decoded.flat());
    judge(reply.client, size);
    if (adds_plainly() && static_cast<Index>(parts) == setup_.chains)
      math::add(reply.decoded.flat(), plain_->of_client(reply.client).flat());  // all columns at once
    else
      for (std::size_t p = 0; p < parts; ++p) absorb_part(reply, entry, p, reply.decoded.column(static_cast<Index>(p)));
    return {size, reply.coded};
  }
  if (reply.joined) return absorb_joined(reply, entry, work);
  const Index d = setup_.dimension;
  Scratch::Frame frame(work.scratch);
  const auto delta = work.scratch.take<double>(d);
  const Compressor& compressor = compressor_of(reply);
  double largest = 0;
  try {
    for (std::size_t p = 0; p < parts; ++p) {
      compressor.decode(reply.part(p), delta, work.scratch);
      const double size = math::max_abs(delta);
      judge(reply.client, size);
      largest = std::max(largest, size);
      absorb_part(reply, entry, p, delta);
    }
  } catch (const WireError& error) {  // decoders throw it for a wrong length and for values that are not finite
    throw WireError(fmt::format("round {}, client {}: {}", round_, entry.client + 1, error.what()));
  }
  return {largest, {}};
}

// Decodes a reply whose parts are one bit string, or the references in it, one column per part.
CodeMemory Server::decode_joined(const Reply& reply, Compressor::Role role, std::span<const double> weights,
                                 PanelView out, Workspace& work) const {
  Scratch::Frame frame(work.scratch);
  const auto parts = work.scratch.take<Decoding>(std::ssize(reply.chains));
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const std::uint32_t chain = reply.chains[p];
    parts[p] = {make_stream(reply.code_seed, chain, Purpose::shared_code), 1, out.column(static_cast<Index>(p))};
    parts[p].stream.round = round_;
    parts[p].stream.client = reply.client;
    if (recipe_.noise_share > 0)
      parts[p].spread = recipe_.code_spread(broadcast_.step.size, broadcast_.present[chain], weights[p]);
  }
  const ByteView payload(reply.payload);
  try {
    return compressor_of(reply).decode_joined(role == Compressor::Role::reference
                                                  ? payload.first(reply.reference_bytes)
                                                  : payload.subspan(reply.reference_bytes),
                                              parts, reply.code, role, work.scratch);
  } catch (const WireError& error) {
    throw WireError(fmt::format("round {}, client {}: {}", round_, reply.client + 1, error.what()));
  }
}

// Adds the changes of the client's references to the sum for the memory.
void Server::absorb_references(const Reply& reply, std::span<const double> weights, Workspace& work) {
  Scratch::Frame frame(work.scratch);
  const auto parts = std::ssize(reply.chains);
  PanelView decoded = work.scratch.panel(setup_.dimension, parts);
  if (reply.has_bytes) decode_joined(reply, Compressor::Role::reference, weights, decoded, work);
  for (Index p = 0; p < parts; ++p) {
    const std::span<const double> change = reply.has_bytes ? decoded.column(p) : reply.references.column(p);
    math::add(change, plain_->of_client(reply.client).column(reply.chains[static_cast<std::size_t>(p)]));
  }
}

Server::Absorbed Server::absorb_joined(const Reply& reply, const Roster::Entry& entry, Workspace& work) {
  Scratch::Frame frame(work.scratch);
  const PanelView decoded = work.scratch.panel(setup_.dimension, std::ssize(reply.chains));
  Absorbed result;
  result.coded = decode_joined(reply, Compressor::Role::message, broadcast_.roster.weights(entry), decoded, work);
  for (std::size_t p = 0; p < reply.chains.size(); ++p) {
    const auto delta = decoded.column(static_cast<Index>(p));
    const double size = math::max_abs(delta);
    judge(reply.client, size);
    result.largest = std::max(result.largest, size);
    absorb_part(reply, entry, p, delta);
  }
  return result;
}

void Server::absorb_all(std::span<const Reply> replies, std::span<const Roster::Entry> entries, Workspace& work) {
  const auto together = [&](const Reply& reply) {
    return reply.chains.size() == 1 && &compressor_of(reply) == &compressor_of(replies[0]);
  };
  if (!adds_plainly() || setup_.chains > 1 || replies.size() == 1 || !std::ranges::all_of(replies, together)) {
    for (std::size_t i = 0; i < replies.size(); ++i) absorb(replies[i], entries[i], work);
    return;
  }
  for (std::size_t i = 0; i < replies.size(); ++i) check_answers(replies[i], entries[i]);
  absorb_singles(replies, entries, work);
}

void Server::absorb_singles(std::span<const Reply> replies, std::span<const Roster::Entry> entries, Workspace& work) {
  const std::size_t n = replies.size();
  Counters& counters = counters_of(replies[0].client);
  Scratch::Frame frame(work.scratch);
  const auto terms = work.scratch.take<const double*>(static_cast<Index>(n));
  if (replies[0].has_bytes) {
    const PanelView decoded = work.scratch.panel(setup_.dimension, static_cast<Index>(n));
    const Compressor& compressor = compressor_of(replies[0]);
    for (std::size_t i = 0; i < n; ++i) {
      const PanelView one{decoded.column(static_cast<Index>(i)).data(), decoded.rows, 1, decoded.stride};
      if (replies[i].joined)
        decode_joined(replies[i], Compressor::Role::message, broadcast_.roster.weights(entries[i]), one, work);
      else
        compressor.decode(replies[i].part(0), one.column(0), work.scratch);
      terms[i] = one.column(0).data();
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) terms[i] = replies[i].decoded.column(0).data();
  }
  for (std::size_t i = 0; i < n; ++i)
    judge(replies[i].client, math::max_abs({terms[i], static_cast<std::size_t>(setup_.dimension)}));
  math::add_all(terms, plain_->of_client(replies[0].client).column(0));
  for (const Reply& reply : replies) {
    count_part(reply, 0, counters);
    counters.wire_bits += frame_bits(reply);
    counters.gradients += reply.gradients;
    log_answer(reply);
  }
}

void Server::absorb_part(const Reply& reply, const Roster::Entry& entry, std::size_t part,
                         std::span<const double> delta) {
  const auto chain = static_cast<Index>(reply.chains[part]);
  const auto plain = plain_->of_client(reply.client).column(chain);
  if (adds_plainly()) return math::add(delta, plain);
  const ServerStep::Weights weights =
      step_->weigh(reply.client, reply.chains[part], broadcast_.roster.weights(entry)[part]);
  if (!weighted_) return math::axpy(weights.step, delta, plain);
  if (recipe_.up.memory != Memory::reference) math::axpy(weights.memory, delta, plain);
  math::axpy(weights.step, delta, weighted_->of_client(reply.client).column(chain));
}

void Server::archive_block(Index block, Archive& archive) {
  archive.array((*plain_)[block].flat());
  if (weighted_) archive.array((*weighted_)[block].flat());
  block_counters_[static_cast<std::size_t>(block)].archive(archive);
  Largest& largest = block_largest_[static_cast<std::size_t>(block)];
  archive.fields(largest.size, largest.client);
  if (archive.reading()) judge(largest.client, largest.size);
  const auto [first, last] = block_entries(block);
  traffic_->archive_done(archive, first, last);
}

void Server::absorb_sum(Index block, Index chain, std::span<const double> sum) {
  math::add(sum, (*plain_)[block].column(chain));
}

void Server::count(const Sent& sent) {
  Counters& counters = counters_of(sent.client);
  counters.uplink_bits += sent.bits;
  counters.wire_bits += sent.bits;
  counters.uplink_bits_bound += bits_bound_[channel_of(sent.client)];
  counters.gradients += sent.gradients;
  ++counters.messages;
  traffic_->add({.client = sent.client, .gradients = sent.gradients, .up_bits = sent.bits});
}

void Server::log_answer(const Reply& reply) {
  if (!traffic_->listens()) return;
  std::int64_t bits = 0;
  for (std::size_t p = 0; p < reply.bits.size(); ++p)
    if (step_->sends(reply.chains[p])) bits += reply.bits[p];
  traffic_->add({.client = reply.client, .gradients = reply.gradients, .up_bits = bits});
}

void Server::count_part(const Reply& reply, std::size_t part, Counters& counters) const {
  if (!step_->sends(reply.chains[part])) return;
  counters.uplink_bits += reply.bits[part];
  counters.uplink_bits_bound +=
      reply.whole ? static_cast<double>(reply.bits[part]) : bits_bound_[channel_of(reply.client)];
  ++counters.messages;
}

}  // namespace pollen
