#include "langevin_step.h"

#include <algorithm>
#include <cmath>

#include "math/math.h"
#include "pollen/archive.h"

namespace pollen {

LangevinStep::LangevinStep(const Prior& prior, const Server::Setup& setup)
    : prior_(prior), dimension_(setup.dimension), chains_(setup.chains) {
  for (Index c = 0; c < chains_; ++c)
    noise_.push_back(make_stream(setup.seed, static_cast<std::uint32_t>(c), Purpose::noise));
}

void LangevinStep::share_work(const Team& team) {
  const auto room = static_cast<std::size_t>(padded(dimension_));
  team_ = team;
  rooms_.resize(static_cast<std::size_t>(team.size));
  for (Room& each : rooms_) each.direction.resize(room), each.normals.resize(room);
}

// Computes g = η + Σ w_i δ_i, then moves the memory: η ← η + α Σ δ_i.
void LangevinStep::add_up(const Chain& in, std::span<double> g) const {
  const Roster& roster = in.broadcast.roster;
  const double weight = roster.uniform ? roster.chain_weight[static_cast<std::size_t>(in.chain)] : 1;
  if (in.memory.empty()) {
    std::ranges::copy(in.for_memory, g.begin());
    if (roster.uniform) math::scale(weight, g);
    return;
  }
  if (in.recipe.up.memory == Memory::reference) {  // references move before the step
    math::add(in.for_memory, in.memory);
    std::ranges::copy(in.memory, g.begin());
    return math::add(in.for_step, g);
  }
  std::ranges::copy(in.memory, g.begin());
  if (roster.uniform)
    math::axpy(weight, in.for_memory, g);
  else
    math::add(in.for_step, g);
  math::axpy(in.recipe.up.rate, in.for_memory, in.memory);
}

double LangevinStep::move(const Chain& in) {
  const auto d = static_cast<std::size_t>(dimension_);
  Room& room = rooms_[static_cast<std::size_t>(in.member)];
  const std::span<double> g(room.direction.data(), d);
  const std::span<double> z(room.normals.data(), d);
  add_up(in, g);
  if (!anchor_gradient_.empty()) math::add(anchor_gradient_, g);
  if (in.recipe.prior_on_server) prior_.add_gradient(in.position, 1.0, g);
  const double step = in.broadcast.step.size, spread = missing_spread(in);
  if (spread == 0) {
    math::axpy(-step, g, in.position);
    return math::max_abs(in.position);
  }
  std::span<const double> noise = z;
  if (noise_round_ == in.broadcast.round + 1)
    noise = noise_drawn_.column(in.chain);
  else
    draw_normals(in.chain, in.broadcast.round, z);
  return math::langevin_step(in.position, g, noise, step, spread);
}

// The standard deviation of the noise that the server adds: √(2γT), less what the errors of codes supply already.
double LangevinStep::missing_spread(const Chain& in) {
  const std::vector<std::uint32_t>& present = in.broadcast.present;
  const bool supplied = !present.empty() && present[static_cast<std::size_t>(in.chain)] > 0;
  const double share = supplied ? 1 - in.recipe.noise_share : 1;
  return std::sqrt(2 * in.broadcast.step.size * in.recipe.temperature * share);
}

void LangevinStep::draw_normals(Index chain, std::uint64_t round, std::span<double> out) const {
  Stream stream = noise_[static_cast<std::size_t>(chain)];
  stream.round = round;
  normals(stream, out);
}

void LangevinStep::draw_noise(std::uint64_t round) {
  if (noise_drawn_.empty()) noise_drawn_ = Panel(dimension_, chains_);
  team_.over_chains(chains_, dimension_, [&](Index c, int) { draw_normals(c, round, noise_drawn_.column(c)); });
  noise_round_ = round + 1;
}

void LangevinStep::archive(Archive& archive) {
  archive.array_or_none(anchor_gradient_, static_cast<std::uint64_t>(dimension_));
}

}  // namespace pollen
