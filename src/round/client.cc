#include <algorithm>

#include "pollen/archive.h"
#include "pollen/errors.h"
#include "pollen/math.h"
#include "pollen/round.h"

namespace pollen {

Client::Client(std::uint32_t index, const Potential& potential, const ClientParts& parts, Index chains)
    : index_(index),
      dimension_(potential.dimension()),
      potential_(&potential),
      parts_(parts),
      oracle_(make_oracle(parts.recipe->oracle, potential, parts.recipe->batch.of(potential.rows()), chains)) {
  if (parts.recipe->up.memory != Memory::none) memory_ = Panel(potential.dimension(), chains);
  if (parts.recipe->oracle == OracleKind::fixed_point && parts.prior_share > 0)
    anchor_.resize(static_cast<std::size_t>(potential.dimension()));
}

void Client::answer(const Station& station, std::span<const std::uint32_t> chains, Reply& reply, Workspace& work) {
  const Index d = dimension_;
  const std::size_t n = chains.size();
  reply.round = station.round();
  reply.client = index_;
  reply.whole = reply.round == 0 && parts_.recipe->up.memory == Memory::feedback;
  reply.has_bytes = parts_.recipe->make_bytes;
  reply.chains.assign(chains.begin(), chains.end());
  reply.offset.resize(n + 1);
  reply.bits.resize(n);
  reply.payload.clear();
  if (reply.decoded.rows() != d || reply.decoded.columns() != station.chains())
    reply.decoded = Panel(d, station.chains());

  Scratch::Frame frame(work.scratch);
  PanelView direction = work.scratch.panel(d, static_cast<Index>(n));
  estimate(station, chains, direction, reply, work);

  // The channel: delta = C(v - h), where h is zero without a memory.
  const Compressor& compressor = reply.whole ? *parts_.whole : *parts_.compressor;
  for (std::size_t p = 0; p < n; ++p) {
    const auto column = direction.column(static_cast<Index>(p));
    if (!memory_.empty()) math::subtract(column, memory_.column(chains[p]), column);
    Stream stream = station.compress_streams()[chains[p]];
    stream.round = reply.round;
    stream.client = index_;
    reply.offset[p] = reply.payload.size();
    try {
      reply.bits[p] = compressor.encode(column, stream, reply.decoded.column(static_cast<Index>(p)),
                                        reply.has_bytes ? &reply.payload : nullptr, work.scratch);
    } catch (const NumericError& e) {
      throw NumericError(e.what(), static_cast<std::int64_t>(reply.round), index_);
    }
  }
  reply.offset[n] = reply.payload.size();
}

void Client::estimate(const Station& station, std::span<const std::uint32_t> chains, const PanelView& out, Reply& reply,
                      Workspace& work) {
  Scratch::Frame frame(work.scratch);
  ConstPanelView position = station.position();
  if (static_cast<Index>(chains.size()) != station.chains()) {  // not every chain: gather those columns
    PanelView some = work.scratch.panel(out.rows, out.columns);
    for (Index c = 0; c < some.columns; ++c) {
      const auto from = position.column(chains[static_cast<std::size_t>(c)]);
      std::copy(from.begin(), from.end(), some.column(c).begin());
    }
    position = some;
  }
  const OracleInput input{position,    chains, station.anchor(), station.anchor_version(), station.minibatch_streams(),
                          reply.round, index_};
  reply.gradients = oracle_->estimate(input, out, work);
  if (parts_.prior_share == 0) return;
  for (Index c = 0; c < out.columns; ++c) {
    parts_.prior->add_gradient(position.column(c), parts_.prior_share, out.column(c));
    if (!anchor_.empty()) parts_.prior->add_gradient(anchor_, -parts_.prior_share, out.column(c));
  }
}

void Client::settle(const Reply& reply, bool counted) {
  if (!counted || memory_.empty()) return;
  const double rate = parts_.recipe->up.rate;
  for (std::size_t p = 0; p < reply.chains.size(); ++p)
    math::axpy(rate, reply.decoded.column(static_cast<Index>(p)), memory_.column(reply.chains[p]));
}

void Client::gradient(ConstPanelView theta, PanelView out, Workspace& work) const {
  potential_->gradient(theta, out, work.scratch);
  if (parts_.prior_share == 0) return;
  for (Index c = 0; c < out.columns; ++c)
    parts_.prior->add_gradient(theta.column(c), parts_.prior_share, out.column(c));
}

void Client::set_anchor(std::span<const double> at) {
  Workspace work;
  Scratch::Frame frame(work.scratch);
  const PanelView gradient = work.scratch.panel(potential_->dimension(), 1);
  potential_->gradient({at.data(), potential_->dimension(), 1, potential_->dimension()}, gradient, work.scratch);
  oracle_->set_anchor(at, gradient.column(0));
  if (!anchor_.empty()) std::copy(at.begin(), at.end(), anchor_.begin());
}

void Client::start_memory(ConstPanelView gradient) {
  for (Index c = 0; c < memory_.columns(); ++c) {
    const auto from = gradient.column(c);
    std::copy(from.begin(), from.end(), memory_.column(c).begin());
  }
}

void Client::archive(Archive& archive) {
  archive.array(memory_.flat());
  archive.array(std::span(anchor_));
  for (const auto array : oracle_->state()) archive.array(array);
  for (const auto array : oracle_->versions()) archive.array(array);
}

}  // namespace pollen
