#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "average_step.h"
#include "langevin_step.h"
#include "math/math.h"
#include "pollen/archive.h"
#include "pollen/errors.h"
#include "pollen/round.h"
#include "round/block_sums.h"
#include "round/participation.h"
#include "round/server_step.h"
#include "round/traffic.h"

namespace pollen {

namespace {

// A chain explodes if a coordinate is this many times larger than 1 and than all coordinates of the start.
constexpr double kExplosion = 1e10;

}  // namespace

Server::Server(const Recipe& recipe, const Prior& prior, Setup setup)
    : Server(recipe, prior, std::move(setup), nullptr) {}

Server::Server(const Recipe& recipe, const Prior& prior, Setup setup, std::unique_ptr<ServerStep> step)
    : recipe_(recipe),
      setup_(std::move(setup)),
      participation_(std::make_unique<ParticipationDraw>(recipe.participation, setup_.sizes, setup_.chains,
                                                         recipe.coupled, setup_.seed,
                                                         recipe.up.memory != Memory::feedback)),
      whole_(make_compressor({}, setup_.dimension, 0)),
      down_(make_compressor(recipe.down.compressor, setup_.dimension, 0)),
      position_(setup_.dimension, setup_.chains),
      plain_(std::make_unique<BlockSums>(BlockRange::all(clients()))),
      block_counters_(static_cast<std::size_t>(blocks())),
      block_largest_(static_cast<std::size_t>(blocks())),
      traffic_(std::make_unique<TrafficLog>()),
      step_(std::move(step)) {
  const Index d = setup_.dimension;
  for (Index c = 0; c < setup_.chains; ++c)
    compress_.push_back(make_stream(setup_.seed, static_cast<std::uint32_t>(c), Purpose::compress_down));
  for (const Compressor* c : setup_.compressors)
    bits_bound_.push_back(c->bits_bound(d).value_or(std::numeric_limits<double>::quiet_NaN()));
  if (recipe.up.memory != Memory::none) memory_ = Panel(d - recipe.up.whole_tail, setup_.chains);
  if (recipe.down.feedback) known_ = Panel(d, setup_.chains);
  const bool may_miss = recipe.participation.policy != ParticipationPolicy::full;
  if (may_miss && (recipe.down.feedback || recipe.keeps_anchors()))
    heard_.assign(setup_.sizes.size() * static_cast<std::size_t>(setup_.chains), 0);
  broadcast_.step = recipe.step;
  broadcast_.offset.resize(static_cast<std::size_t>(setup_.chains) + 1);
  if (!step_) choose_step(prior);
  share_work({});
}

Server::~Server() = default;

void Server::listen(TrafficListener listener) { traffic_->listen(std::move(listener)); }

void Server::choose_step(const Prior& prior) {
  if (recipe_.local)
    step_.reset(average_ = new AverageStep(recipe_, setup_));
  else
    step_.reset(langevin_ = new LangevinStep(prior, setup_));
}

void Server::share_work(Team team) {
  team_ = std::move(team);
  step_->share_work(team_);
}

void Server::set_anchor_gradient(std::span<const double> sum) { langevin_->set_anchor_gradient(sum); }

void Server::draw_noise() {
  if (langevin_ != nullptr) langevin_->draw_noise(round_);
}

void Server::start(ConstPanelView position) {
  copy_into(position, position_);
  double largest = 0;
  for (Index c = 0; c < position.columns; ++c) {
    const auto from = position.column(c);
    if (!math::all_finite(from)) throw NumericError(fmt::format("chain {}: the start is not finite", c + 1));
    largest = std::max(largest, math::max_abs(from));
  }
  explosion_ = kExplosion * std::max(1.0, largest);
}

void Server::start_memory(ConstPanelView sum) { copy_into(sum, memory_); }

void Server::open(std::int64_t most) {
  broadcast_.round = round_;
  if (average_ != nullptr) average_->open(most, recipe_, position_, broadcast_);
  step_->plan(broadcast_);
  broadcast_.refresh = recipe_.refreshes(round_);
  if (broadcast_.refresh) anchor_round_ = round_;
  draw_participants();
  encode_broadcast();
  if (broadcast_.segment.starts) count_downlink();
  start_over();
}

void Server::start_over() {
  const Memory memory = recipe_.up.memory;
  const bool weighted = memory == Memory::reference || step_->keeps_two_sums(broadcast_.roster, memory != Memory::none);
  if (weighted && !weighted_) weighted_ = std::make_unique<BlockSums>(plain_->range());
  plain_->reset(setup_.dimension, setup_.chains, team_);
  if (weighted_) weighted_->reset(setup_.dimension, setup_.chains, team_);
  std::ranges::fill(block_counters_, Counters());
  std::ranges::fill(block_largest_, Largest());
  traffic_->start_over();
}

void Server::follow(const Broadcast& broadcast) {
  Roster roster = std::move(broadcast_.roster);  // keeps its memory
  broadcast_ = broadcast;
  broadcast_.roster = std::move(roster);
  round_ = broadcast.round;
  draw_participants();
  start_over();
}

void Server::draw_participants() {
  if (first_round_whole())
    participation_->everybody(broadcast_.roster);
  else
    participation_->draw(round_, broadcast_.roster);
  count_present();
  step_->begin(broadcast_);
  traffic_->open(broadcast_.roster.clients);
}

void Server::count_present() {
  if (recipe_.noise_share == 0) return;
  broadcast_.present.assign(static_cast<std::size_t>(setup_.chains), 0);
  for (const std::uint32_t chain : broadcast_.roster.chain) ++broadcast_.present[chain];
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
  step_->begin(broadcast_);
  // Nobody knows what these clients heard, so next time they are told everything.
  for (const std::uint32_t client : clients)
    for (std::size_t c = 0; !heard_.empty() && c < static_cast<std::size_t>(setup_.chains); ++c)
      heard_[c * setup_.sizes.size() + client] = 0;
}

Index Server::blocks() const { return plain_->range().size(); }

std::pair<std::size_t, std::size_t> Server::block_entries(Index block) const {
  return plain_->range().entries_of(block, broadcast_.roster);
}

void Server::close() {
  const std::int64_t before = counters_.messages;
  merge_blocks();
  keep_largest();
  step_->close(broadcast_);
  sent_ = sent_ || step_->always_sends() || counters_.messages > before;
  const bool done = step_->ends_round(broadcast_);
  // Clients that never send anything are timed by their rounds.
  traffic_->close(done && (sent_ || setup_.dimension == 0));
  if (broadcast_.segment.ends) each_chain([&](Index c, int member) { move_chain(c, member); });
  step_->turn(position_);
  if (!done) return;
  if (sent_) ++counters_.rounds;
  sent_ = false;
  ++round_;
}

void Server::merge_blocks() {
  plain_->merge();
  if (weighted_) weighted_->merge();
  for (const Counters& block : block_counters_) {
    counters_.uplink_bits += block.uplink_bits;
    counters_.uplink_bits_bound += block.uplink_bits_bound;
    counters_.messages += block.messages;
    counters_.gradients += block.gradients;
    counters_.wire_bits += block.wire_bits;
  }
}

void Server::move_chain(Index chain, int member) {
  const std::span<const double> plain = (*plain_)[0].column(chain);
  const std::span<const double> weighted = !weighted_ ? plain : (*weighted_)[0].column(chain);
  const auto memory = memory_.empty() ? std::span<double>() : memory_.column(chain);
  check_position(step_->move({chain, member, recipe_, broadcast_, plain, weighted, memory, position_.column(chain)}),
                 chain);
}

void Server::check_position(double largest, Index chain) const {
  if (largest <= explosion_) return;
  const char* how = std::isfinite(largest) ? "explodes" : "is not finite";
  const auto round = static_cast<std::int64_t>(round_);
  // A state that a single reply has thrown far away says nothing about the step.
  if (largest_before_ > 0 && largest_now_.size > kAbsurd * largest_before_)
    throw NumericError(fmt::format("chain {}: the state {} with the reply of this client, in which a number is {:.3g}; "
                                   "the largest of the round before was {:.3g}; look at its data, or try a smaller "
                                   "sampler.step (it is {})",
                                   chain + 1, how, largest_now_.size, largest_before_, broadcast_.step.size),
                       round, largest_now_.client);
  throw NumericError(fmt::format("chain {}: the state {}; try a smaller sampler.step (it is {})", chain + 1, how,
                                 broadcast_.step.size),
                     round, -1);
}

void Server::archive(Archive& archive) {
  archive.array(position_.flat());
  archive.array(memory_.flat());
  archive.array(known_.flat());
  archive.array(std::span(heard_));
  archive.field(anchor_round_);
  archive.field(round_);
  archive.field(explosion_);
  archive.field(largest_);
  counters_.archive(archive);
  step_->archive(archive);
  traffic_->archive(archive, clients());
}

}  // namespace pollen
