#include "simulated_clock.h"

#include <fmt/format.h>

#include <cmath>

namespace pollen {

namespace {

SimulatedTime time_of(const ClientTraffic& load, const ClientPace& pace, double wait) {
  SimulatedTime time;
  time.waiting = wait;
  if (load.down_bits > 0) time.down = pace.latency + static_cast<double>(load.down_bits) / pace.downlink;
  time.computing = static_cast<double>(load.gradients) / pace.speed;
  if (load.up_bits > 0) time.up = pace.latency + static_cast<double>(load.up_bits) / pace.uplink;
  return time;
}

}  // namespace

void SimulatedClock::exchange(std::span<const ClientTraffic> loads) {
  SimulatedTime slowest;
  const double now = time_.total();
  for (const ClientTraffic& load : loads) {
    if (load.down_bits == 0 && load.gradients == 0 && load.up_bits == 0) continue;
    const SimulatedTime own = time_of(load, network_.pace(load.client, exchanges_), network_.wait(load.client, now));
    if (own.total() > slowest.total()) slowest = own;
  }
  time_.waiting += slowest.waiting;
  time_.down += slowest.down;
  time_.computing += slowest.computing;
  time_.up += slowest.up;
  time_.server += network_.server_seconds();
  ++exchanges_;
}

void SimulatedClock::archive(Archive& archive) {
  for (double* seconds : {&time_.waiting, &time_.down, &time_.computing, &time_.up, &time_.server, &time_.setup}) {
    archive.field(*seconds);
    if (!std::isfinite(*seconds) || *seconds < 0)
      throw WireError(
          fmt::format("saved state: found {} simulated seconds, accepted: a finite number from 0", *seconds));
  }
  archive.field(exchanges_);
  if (exchanges_ >> 44 != 0)
    throw WireError(fmt::format("saved state: found {} exchanges, accepted: below 2^44", exchanges_));
}

std::unique_ptr<SimulatedClock> make_simulated_clock(const Config& config, Index clients, const ClientNames& names) {
  if (!keeps_network_time(config)) return nullptr;
  const auto count = static_cast<std::size_t>(clients);
  return std::make_unique<SimulatedClock>(config, names.size() == count ? names : ClientNames(count));
}

}  // namespace pollen
