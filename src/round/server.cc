#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/math.h"
#include "pollen/archive.h"
#include "pollen/errors.h"
#include "pollen/round.h"
#include "round/local_segments.h"
#include "round/participation.h"
#include "round/traffic.h"

namespace pollen {

namespace {

// A state this far out is exploding, not exploring.
constexpr double kExplosion = 1e10;

}  // namespace

Index block_size_for(Index clients) { return std::max<Index>(32, (clients + 63) / 64); }

Server::Server(const Recipe& recipe, const Prior& prior, Setup setup)
    : recipe_(recipe),
      prior_(prior),
      setup_(std::move(setup)),
      participation_(std::make_unique<ParticipationDraw>(recipe.participation, setup_.sizes, setup_.chains,
                                                         recipe.coupled, setup_.seed,
                                                         recipe.up.memory != Memory::feedback)),
      block_size_(block_size_for(static_cast<Index>(setup_.sizes.size()))),
      whole_(make_compressor({}, setup_.dimension)),
      down_(make_compressor(recipe.down.compressor, setup_.dimension)),
      position_(setup_.dimension, setup_.chains),
      traffic_(std::make_unique<TrafficLog>()) {
  const Index d = setup_.dimension;
  for (Index c = 0; c < setup_.chains; ++c) {
    noise_.push_back(make_stream(setup_.seed, static_cast<std::uint32_t>(c), Purpose::noise));
    compress_.push_back(make_stream(setup_.seed, static_cast<std::uint32_t>(c), Purpose::compress_down));
  }
  for (const Compressor* c : setup_.compressors)
    bits_bound_.push_back(c->bits_bound(d).value_or(std::numeric_limits<double>::quiet_NaN()));
  if (recipe.up.memory != Memory::none) memory_ = Panel(d, setup_.chains);
  if (recipe.down.feedback) known_ = Panel(d, setup_.chains);
  const bool may_miss = recipe.participation.policy != ParticipationPolicy::full;
  if (may_miss && (recipe.down.feedback || recipe.oracle == OracleKind::svrg))
    heard_.assign(setup_.sizes.size() * static_cast<std::size_t>(setup_.chains), 0);
  block_sums_.resize((setup_.sizes.size() + static_cast<std::size_t>(block_size_) - 1) /
                     static_cast<std::size_t>(block_size_));
  for (BlockSum& block : block_sums_) block.plain = Panel(d, setup_.chains);
  if (recipe.local) segments_ = std::make_unique<SegmentSchedule>(*recipe.local, setup_.seed);
  if (recipe.sends_changes()) reference_ = Panel(d, setup_.chains);
  broadcast_.offset.resize(static_cast<std::size_t>(setup_.chains) + 1);
  share_work({});
}

Server::~Server() = default;

void Server::listen(TrafficListener listener) { traffic_->listen(std::move(listener)); }

bool Server::refresh_due() const { return segments_ && segments_->refresh_due(iteration_); }

void Server::share_work(Team team) {
  const auto room = static_cast<std::size_t>(padded(setup_.dimension));
  team_ = std::move(team);
  step_rooms_.resize(static_cast<std::size_t>(team_.size));
  for (StepRoom& each : step_rooms_) each.direction.resize(room), each.normals.resize(room);
}

void Server::start(ConstPanelView position) {
  double largest = 0;
  for (Index c = 0; c < position.columns; ++c) {
    const auto from = position.column(c);
    std::copy(from.begin(), from.end(), position_.column(c).begin());
    if (!math::all_finite(from)) throw NumericError(fmt::format("chain {}: the start is not finite", c + 1));
    largest = std::max(largest, math::max_abs(from));
  }
  explosion_ = kExplosion * std::max(1.0, largest);
}

void Server::set_anchor_gradient(std::span<const double> sum) { anchor_gradient_.assign(sum.begin(), sum.end()); }

void Server::start_memory(ConstPanelView sum) {
  for (Index c = 0; c < memory_.columns(); ++c) {
    const auto from = sum.column(c);
    std::copy(from.begin(), from.end(), memory_.column(c).begin());
  }
}

void Server::open(std::int64_t most) {
  broadcast_.round = round_;
  if (recipe_.local) open_segment(most);
  broadcast_.refresh = recipe_.oracle == OracleKind::svrg && round_ % static_cast<std::uint64_t>(recipe_.refresh) == 0;
  if (broadcast_.refresh) anchor_round_ = round_;
  if (first_round_whole())
    participation_->everybody(broadcast_.roster);
  else
    participation_->draw(round_, broadcast_.roster);
  encode_broadcast();
  traffic_->open(broadcast_.roster.clients);
  if (broadcast_.segment.starts) count_downlink();
  start_over();
}

void Server::start_over() {
  const bool partial = recipe_.participation.policy != ParticipationPolicy::full;
  const bool weighted = recipe_.up.memory != Memory::none && (recipe_.local ? partial : !broadcast_.roster.uniform);
  for (BlockSum& block : block_sums_) {
    if (weighted && block.weighted.empty()) block.weighted = Panel(setup_.dimension, setup_.chains);
    block.counters = {};
  }
  traffic_->start_over();
  each_chain([&](Index c, int) {
    for (BlockSum& block : block_sums_) {
      std::ranges::fill(block.plain.column(c), 0.0);
      if (!block.weighted.empty()) std::ranges::fill(block.weighted.column(c), 0.0);
    }
  });
}

void Server::follow(const Broadcast& broadcast) {
  round_ = broadcast_.round = broadcast.round;
  broadcast_.segment = broadcast.segment;
  if (first_round_whole())
    participation_->everybody(broadcast_.roster);
  else
    participation_->draw(round_, broadcast_.roster);
  broadcast_.refresh = broadcast.refresh;
  broadcast_.whole = broadcast.whole;
  broadcast_.control = broadcast.control;
  broadcast_.offset = broadcast.offset;
  broadcast_.payload = broadcast.payload;
  traffic_->open(broadcast_.roster.clients);
  start_over();
}

void Server::leave_out(std::span<const std::uint32_t> clients) {
  Roster& roster = broadcast_.roster;
  const auto drawn = static_cast<double>(roster.clients.size());
  std::erase_if(roster.clients, [&](const Roster::Entry& e) { return std::ranges::binary_search(clients, e.client); });
  traffic_->leave_out(clients);
  const auto left = static_cast<double>(roster.clients.size());
  const double more = recipe_.up.memory == Memory::feedback || left == 0 ? 1 : drawn / left;
  for (double& weight : roster.weight) weight *= more;
  for (double& weight : roster.chain_weight) weight *= more;
  for (const std::uint32_t client : clients)  // what they heard is not known: next time they are told everything
    for (std::size_t c = 0; !heard_.empty() && c < static_cast<std::size_t>(setup_.chains); ++c)
      heard_[c * setup_.sizes.size() + client] = 0;
}

std::pair<std::size_t, std::size_t> Server::block_entries(Index block) const {
  const auto& entries = broadcast_.roster.clients;
  const auto before = [](const Roster::Entry& e, Index client) { return static_cast<Index>(e.client) < client; };
  const auto first = std::lower_bound(entries.begin(), entries.end(), block * block_size_, before);
  const auto last = std::lower_bound(first, entries.end(), (block + 1) * block_size_, before);
  return {static_cast<std::size_t>(first - entries.begin()), static_cast<std::size_t>(last - entries.begin())};
}

void Server::close() {
  merge_blocks();
  if (recipe_.local) return close_segment();
  each_chain([&](Index c, int member) { step_chain(c, member); });
  traffic_->close(true);
  ++counters_.rounds;
  ++round_;
}

// Everything into the first block, in order.
void Server::merge_blocks() {
  BlockSum& total = block_sums_.front();
  for (std::size_t i = 1; i < block_sums_.size(); ++i) {
    math::add(block_sums_[i].plain.flat(), total.plain.flat());
    if (!total.weighted.empty()) math::add(block_sums_[i].weighted.flat(), total.weighted.flat());
  }
  for (const BlockSum& block : block_sums_) {
    counters_.uplink_bits += block.counters.uplink_bits;
    counters_.uplink_bits_bound += block.counters.uplink_bits_bound;
    counters_.messages += block.counters.messages;
    counters_.gradients += block.counters.gradients;
  }
}

// g = η + Σ w_i δ_i + ∇U_0(θ) (+ Σ ∇U_i(θ̂)), η ← η + α Σ δ_i, θ ← θ - γ g + √(2γT) Z.
void Server::step_chain(Index chain, int member) {
  const BlockSum& sum = block_sums_.front();
  const Roster& roster = broadcast_.roster;
  const auto d = static_cast<std::size_t>(setup_.dimension);
  StepRoom& room = step_rooms_[static_cast<std::size_t>(member)];
  const std::span<double> g(room.direction.data(), d);
  const std::span<double> z(room.normals.data(), d);
  const auto theta = position_.column(chain);
  const auto plain = sum.plain.column(chain);
  const bool memory = !memory_.empty();
  if (memory) {
    const auto h = memory_.column(chain);
    std::copy(h.begin(), h.end(), g.begin());
    if (roster.uniform)
      math::axpy(roster.chain_weight[static_cast<std::size_t>(chain)], plain, g);
    else
      math::add(sum.weighted.column(chain), g);
    math::axpy(recipe_.up.rate, plain, h);
  } else {
    std::copy(plain.begin(), plain.end(), g.begin());
    if (roster.uniform) math::scale(roster.chain_weight[static_cast<std::size_t>(chain)], g);
  }
  if (!anchor_gradient_.empty()) math::add(anchor_gradient_, g);
  if (recipe_.prior_on_server) prior_.add_gradient(theta, 1.0, g);

  std::span<const double> noise = z;
  if (noise_round_ == round_ + 1)
    noise = noise_drawn_.column(chain);
  else
    draw_normals(chain, z);
  check_position(math::langevin_step(theta, g, noise, recipe_.step, std::sqrt(2 * recipe_.step * recipe_.temperature)),
                 chain);
}

void Server::draw_normals(Index chain, std::span<double> out) const {
  Stream stream = noise_[static_cast<std::size_t>(chain)];
  stream.round = round_;
  normals(stream, out);
}

void Server::draw_noise() {
  if (recipe_.local) return;
  if (noise_drawn_.empty()) noise_drawn_ = Panel(setup_.dimension, setup_.chains);
  each_chain([&](Index c, int) { draw_normals(c, noise_drawn_.column(c)); });
  noise_round_ = round_ + 1;
}

void Server::check_position(double largest, Index chain) const {
  if (!(largest <= explosion_))
    throw NumericError(fmt::format("chain {}: the state {}; try a smaller sampler.step (it is {})", chain + 1,
                                   std::isfinite(largest) ? "explodes" : "is not finite", recipe_.step),
                       static_cast<std::int64_t>(round_), -1);
}

void Server::archive_local(Archive& archive) {
  if (!recipe_.local) return;
  segments_->archive(archive);
  archive.array(reference_.flat());
  archive.field(iteration_);
  archive.field(fresh_);
  archive.field(control_from_);
  for (Bytes* words : {&ready_control_, &next_control_}) {
    std::uint64_t size = words->size();
    archive.field(size);
    if (size != 0 && size != 2 * static_cast<std::uint64_t>(setup_.dimension * setup_.chains) * sizeof(double))
      throw WireError("saved state: control variates of another size");
    words->resize(size);
    archive.array(std::span(*words));
  }
}

void Server::archive(Archive& archive) {
  archive.array(position_.flat());
  archive.array(memory_.flat());
  archive.array(known_.flat());
  archive.array(std::span(heard_));
  archive.field(anchor_round_);
  archive.field(round_);
  archive.field(explosion_);
  for (std::int64_t* n : {&counters_.rounds, &counters_.messages, &counters_.uplink_bits, &counters_.downlink_bits,
                          &counters_.broadcast_bits, &counters_.setup_bits, &counters_.gradients})
    archive.field(*n);
  archive.field(counters_.uplink_bits_bound);
  archive_local(archive);
  std::uint64_t anchored = anchor_gradient_.size();
  archive.field(anchored);
  if (anchored != 0 && anchored != static_cast<std::uint64_t>(setup_.dimension))
    throw WireError("saved state: an array has another size");
  anchor_gradient_.resize(anchored);
  archive.array(std::span(anchor_gradient_));
  traffic_->archive(archive, clients());
}

}  // namespace pollen
