#include "client_network.h"

#include <algorithm>
#include <cmath>

#include "math/math.h"

namespace pollen {

namespace {

// What a random stream of a client is used for. The number goes into the stream's `step`, so that uses do not overlap.
enum Use : std::uint32_t { kOwn = 0, kJitter = 1, kPhase = 2, kWindow = 3 };

constexpr double kMega = 1e6;
constexpr double kMilli = 1e-3;

}  // namespace

ClientNetwork::ClientNetwork(const Config& config, const ClientNames& clients)
    : stream_(make_stream(config.seed, 0, Purpose::simulated_network)) {
  const NetworkTimeConfig& n = config.network_time;
  jitter_ = n.jitter_spread.value_or(0);
  availability_ = n.availability.value_or(1);
  window_ = n.window_seconds.value_or(window_);
  server_seconds_ = n.server_seconds.value_or(0);
  if (!n.trace.empty()) {
    trace_ = read_network_trace(n.trace, clients.list());
    return;
  }
  const std::optional<double> medians[] = {n.uplink_mbps, n.downlink_mbps, n.latency_ms, n.gradients_per_second};
  const std::optional<double> spreads[] = {n.uplink_spread, n.downlink_spread, n.latency_spread, n.gradients_spread};
  for (std::size_t k = 0; k < 4; ++k) medians_[k] = medians[k].value(), spreads_[k] = spreads[k].value();
}

void ClientNetwork::scale(const Stream& address, const double (&spreads)[4], double (&numbers)[4]) const {
  if (std::ranges::all_of(spreads, [](double s) { return s == 0; })) return;
  double z[4];
  normals(address, z);
  for (std::size_t k = 0; k < 4; ++k) numbers[k] *= math::exp(spreads[k] * z[k]);
}

ClientPace ClientNetwork::pace(std::uint32_t client, std::uint64_t exchange) const {
  Stream address = stream_;
  address.client = client;
  address.step = kOwn;
  double numbers[4] = {medians_[0], medians_[1], medians_[2], medians_[3]};
  if (!trace_.empty()) {
    const TraceRow& row = trace_[client];
    numbers[0] = row.uplink_mbps, numbers[1] = row.downlink_mbps;
    numbers[2] = row.latency_ms, numbers[3] = row.gradients_per_second;
  } else {
    scale(address, spreads_, numbers);
  }
  address.step = kJitter;
  address.round = exchange;
  scale(address, {jitter_, jitter_, jitter_, jitter_}, numbers);
  return {kMega * numbers[0], kMega * numbers[1], kMilli * numbers[2], numbers[3]};
}

double ClientNetwork::start_in_cycle(std::uint32_t client, std::uint64_t cycle) const {
  Stream address = stream_;
  address.client = client;
  address.step = kWindow;
  address.round = cycle;
  double u = 0;
  uniforms(address, {&u, 1});
  return u;
}

double ClientNetwork::wait(std::uint32_t client, double now) const {
  const double share = trace_.empty() ? availability_ : std::min(availability_, trace_[client].availability);
  if (share >= 1) return 0;
  const double length = window_ / share, room = length - window_;
  Stream address = stream_;
  address.client = client;
  address.step = kPhase;
  double phase = 0;
  uniforms(address, {&phase, 1});
  constexpr double kMostCycles = 1e12;  // the cycle is part of a stream's address, which has 44 bits for it
  const double cycles = std::min(std::floor(now / length + phase), kMostCycles);
  const double at = std::max(0.0, now + phase * length - cycles * length);
  const auto cycle = static_cast<std::uint64_t>(cycles);
  const double start = room * start_in_cycle(client, cycle);
  if (at < start) return start - at;
  if (at < start + window_) return 0;
  return std::max(0.0, length - at) + room * start_in_cycle(client, cycle + 1);
}

}  // namespace pollen
