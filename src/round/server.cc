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
      block_size_(block_size_for(static_cast<Index>(setup_.sizes.size()))),
      whole_(make_compressor({}, setup_.dimension, 0)),
      down_(make_compressor(recipe.down.compressor, setup_.dimension, 0)),
      position_(setup_.dimension, setup_.chains),
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
  if (may_miss && (recipe.down.feedback || recipe.oracle == OracleKind::svrg))
    heard_.assign(setup_.sizes.size() * static_cast<std::size_t>(setup_.chains), 0);
  block_sums_.resize((setup_.sizes.size() + static_cast<std::size_t>(block_size_) - 1) /
                     static_cast<std::size_t>(block_size_));
  for (BlockSum& block : block_sums_) block.plain = Panel(d, setup_.chains);
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
  double largest = 0;
  for (Index c = 0; c < position.columns; ++c) {
    const auto from = position.column(c);
    std::copy(from.begin(), from.end(), position_.column(c).begin());
    if (!math::all_finite(from)) throw NumericError(fmt::format("chain {}: the start is not finite", c + 1));
    largest = std::max(largest, math::max_abs(from));
  }
  explosion_ = kExplosion * std::max(1.0, largest);
}

void Server::start_memory(ConstPanelView sum) {
  for (Index c = 0; c < memory_.columns(); ++c) {
    const auto from = sum.column(c);
    std::copy(from.begin(), from.end(), memory_.column(c).begin());
  }
}

void Server::open(std::int64_t most) {
  broadcast_.round = round_;
  if (average_ != nullptr) average_->open(most, recipe_, position_, broadcast_);
  step_->plan(broadcast_);
  broadcast_.refresh = recipe_.oracle == OracleKind::svrg && round_ % static_cast<std::uint64_t>(recipe_.refresh) == 0;
  if (broadcast_.refresh) anchor_round_ = round_;
  draw_participants();
  encode_broadcast();
  traffic_->open(broadcast_.roster.clients);
  if (broadcast_.segment.starts) count_downlink();
  start_over();
}

void Server::draw_participants() {
  if (first_round_whole())
    participation_->everybody(broadcast_.roster);
  else
    participation_->draw(round_, broadcast_.roster);
  step_->begin(broadcast_);
}

void Server::start_over() {
  const bool weighted = step_->keeps_two_sums(broadcast_.roster, recipe_.up.memory != Memory::none);
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
  draw_participants();
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
  step_->begin(broadcast_);
  // Nobody knows what these clients heard, so next time they are told everything.
  for (const std::uint32_t client : clients)
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
  const std::int64_t before = counters_.messages;
  merge_blocks();
  step_->close(broadcast_);
  sent_ = sent_ || step_->always_sends() || counters_.messages > before;
  const bool done = step_->ends_round(broadcast_);
  // Clients that never send anything are timed by their rounds.
  traffic_->close(done && (sent_ || setup_.dimension == 0));
  if (broadcast_.segment.ends) each_chain([&](Index c, int member) { move_chain(c, member); });
  if (!done) return;
  if (sent_) ++counters_.rounds;
  sent_ = false;
  ++round_;
}

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

void Server::move_chain(Index chain, int member) {
  const BlockSum& sum = block_sums_.front();
  const auto plain = sum.plain.column(chain);
  const auto weighted = sum.weighted.empty() ? plain : sum.weighted.column(chain);
  const auto memory = memory_.empty() ? std::span<double>() : memory_.column(chain);
  check_position(step_->move({chain, member, round_, recipe_, broadcast_.roster, plain, weighted, memory,
                              position_.column(chain)}),
                 chain);
}

void Server::check_position(double largest, Index chain) const {
  if (!(largest <= explosion_))
    throw NumericError(fmt::format("chain {}: the state {}; try a smaller sampler.step (it is {})", chain + 1,
                                   std::isfinite(largest) ? "explodes" : "is not finite", recipe_.step),
                       static_cast<std::int64_t>(round_), -1);
}

void Server::archive(Archive& archive) {
  archive.array(position_.flat());
  archive.array(memory_.flat());
  archive.array(known_.flat());
  archive.array(std::span(heard_));
  archive.field(anchor_round_);
  archive.field(round_);
  archive.field(explosion_);
  counters_.archive(archive);
  step_->archive(archive);
  traffic_->archive(archive, clients());
}

}  // namespace pollen
