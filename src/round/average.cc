// The server's half of local steps (algorithms.md section 6): segments, control variates, the average.
//   positions:  x_{r+1} = Σ w_i x_i
//   changes:    x_{r+1} = x_r + n_r + H + Σ w_i δ_i,  H ← H + α Σ w_i δ_i,  n_r the common noise of the round
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "math/math.h"
#include "pollen/errors.h"
#include "pollen/round.h"
#include "round/client_host.h"
#include "round/local_segments.h"
#include "round/traffic.h"

namespace pollen {

void Server::open_segment(std::int64_t most) {
  const LocalSteps& local = *recipe_.local;
  const std::int64_t room = longest_segment(setup_.dimension, setup_.chains);
  LocalSegment& segment = broadcast_.segment;
  segment = segments_->next(iteration_, static_cast<std::uint64_t>(local.emit_every ? 1 : std::min(most, room)));
  segment.starts = fresh_;
  if (!next_control_.empty() && control_from_ != iteration_) ready_control_ = std::move(next_control_);
  broadcast_.control = std::move(ready_control_);
  ready_control_.clear();
  if (!recipe_.sends_changes()) return;
  if (fresh_) std::ranges::copy(position_.flat(), reference_.flat().begin());
  for (std::uint32_t s = 0; s < segment.steps && local.common > 0; ++s) {
    const double spread = local.common_spread(recipe_.step, clients(), segment.first + s, recipe_.temperature);
    for (Index c = 0; c < setup_.chains; ++c) {
      const std::span<double> z(step_rooms_[0].normals.data(), static_cast<std::size_t>(setup_.dimension));
      Stream stream = noise_[static_cast<std::size_t>(c)];
      stream.round = segment.first + s;
      normals(stream, z);
      math::scale(spread, z);
      math::add(z, reference_.column(c));
    }
  }
}

// Y and C = Σ ∇U^i(Y), which a client takes w_i times.
void Server::make_control(ConstPanelView anchor, ConstPanelView gradient_sum, Bytes& words) const {
  const std::size_t column = static_cast<std::size_t>(setup_.dimension) * sizeof(double);
  words.resize(2 * static_cast<std::size_t>(setup_.chains) * column);
  std::uint8_t* to = words.data();
  for (const ConstPanelView& panel : {anchor, gradient_sum})
    for (Index c = 0; c < setup_.chains; ++c, to += column) std::memcpy(to, panel.column(c).data(), column);
}

void Server::start_control(ConstPanelView anchor, ConstPanelView gradient_sum) {
  make_control(anchor, gradient_sum, ready_control_);
}

// Two exchanges: positions up, Y down; gradients up, C down.
void Server::refresh(ConstPanelView anchor, ConstPanelView gradient_sum) {
  if (!next_control_.empty()) ready_control_ = std::move(next_control_);
  make_control(anchor, gradient_sum, next_control_);
  control_from_ = iteration_;
  segments_->refreshed();
  const auto words = 64 * static_cast<std::int64_t>(setup_.dimension * setup_.chains);
  counters_.rounds += 2;
  counters_.messages += 2 * clients() * setup_.chains;
  counters_.uplink_bits += 2 * words * clients();
  counters_.uplink_bits_bound += static_cast<double>(2 * words * clients());
  counters_.downlink_bits += 2 * words * clients();
  counters_.broadcast_bits += 2 * words;
  counters_.gradients += std::accumulate(setup_.sizes.begin(), setup_.sizes.end(), std::int64_t{0}) * setup_.chains;
  log_refresh();
}

// Y cannot be known before all positions are there, nor C before all gradients; C goes with what comes next.
void Server::log_refresh() {
  if (!traffic_->listens()) return;
  const auto words = 64 * static_cast<std::int64_t>(setup_.dimension * setup_.chains);
  const auto everybody = [&](const ClientTraffic& load, bool evaluates) {
    for (std::size_t i = 0; i < setup_.sizes.size(); ++i)
      traffic_->add({static_cast<std::uint32_t>(i), load.down_bits, evaluates ? setup_.sizes[i] * setup_.chains : 0,
                     load.up_bits});
  };
  traffic_->open(clients());
  everybody({.up_bits = words}, false);
  traffic_->close(true);
  everybody({.down_bits = words, .up_bits = words}, true);
  traffic_->close(true);
  everybody({.down_bits = words}, false);
  traffic_->close(false);
}

// w_i, times what participation makes of it: 1/|A| or m_c/S in all.
double Server::weight_of(std::uint32_t client) const { return weight_in(setup_.weights, client); }

// What the average takes it for.
double Server::own_weight(std::uint32_t client) const {
  const Participation& p = recipe_.participation;
  const bool equal = p.policy == ParticipationPolicy::fixed_size && !p.replacement;  // scheme II
  return equal ? 1 / static_cast<double>(clients()) : weight_of(client);
}

void Server::absorb_local(const Reply& reply, const Roster::Entry& entry, std::size_t part,
                          std::span<const double> delta, BlockSum& block) {
  const auto chain = static_cast<Index>(reply.chains[part]);
  const double own = own_weight(reply.client);
  const double weight = own * broadcast_.roster.weights(entry)[part];
  if (block.weighted.empty()) return math::axpy(weight, delta, block.plain.column(chain));
  math::axpy(own, delta, block.plain.column(chain));
  math::axpy(weight, delta, block.weighted.column(chain));
}

void Server::average_chain(Index chain) {
  const BlockSum& sum = block_sums_.front();
  const auto x = position_.column(chain);
  const auto plain = sum.plain.column(chain);
  const auto weighted = sum.weighted.empty() ? plain : sum.weighted.column(chain);
  if (!recipe_.sends_changes()) {
    std::ranges::copy(weighted, x.begin());
  } else {
    std::ranges::copy(reference_.column(chain), x.begin());
    math::add(weighted, x);
    if (!memory_.empty()) {
      math::add(memory_.column(chain), x);
      math::axpy(recipe_.up.rate, plain, memory_.column(chain));
    }
  }
  check_position(math::max_abs(x), chain);
}

void Server::close_segment() {
  const LocalSegment segment = broadcast_.segment;
  iteration_ += segment.steps;
  segments_->done(segment);
  traffic_->close(segment.ends);
  fresh_ = segment.ends;
  if (!segment.ends) return;
  each_chain([&](Index c, int) { average_chain(c); });
  ++counters_.rounds;
  ++round_;
}

}  // namespace pollen
