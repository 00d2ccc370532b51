// The lines and the processors of a simulated network's clients, computed when asked for: a client costs no memory
// unless a trace has it. Log-normal over clients, from the seed by address; no draw of a sampler depends on any of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/network_trace.h"
#include "pollen/config.h"
#include "pollen/random.h"

namespace pollen {

// What a client can do during one exchange.
struct ClientPace {
  double uplink = 1, downlink = 1;  // bits a second
  double latency = 0;               // seconds, one way
  double speed = 1;                 // gradients a second
};

class ClientNetwork {
 public:
  // Of a completed configuration. ConfigError where its trace is not of these clients.
  ClientNetwork(const Config& config, const ClientNames& clients);

  ClientPace pace(std::uint32_t client, std::uint64_t exchange) const;
  // Seconds from `now` until the client is there. Time is cut into cycles of window/availability seconds, at a place of
  // the client's own; in each it is there for one window, which begins at a moment of its own.
  double wait(std::uint32_t client, double now) const;
  double server_seconds() const { return server_seconds_; }

 private:
  // Factors exp(spread z) for the four numbers of a pace.
  void scale(const Stream& address, const double (&spreads)[4], double (&numbers)[4]) const;
  double start_in_cycle(std::uint32_t client, std::uint64_t cycle) const;  // of the room there is, in [0, 1)

  double medians_[4] = {};  // uplink, downlink, latency, speed
  double spreads_[4] = {};
  double jitter_ = 0;
  double availability_ = 1, window_ = 3600;
  double server_seconds_ = 0;
  std::vector<TraceRow> trace_;  // one a client, or none
  Stream stream_;
};

}  // namespace pollen
