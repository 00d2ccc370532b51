// The time that a run's exchanges would take in a simulated network (docs/network-time.md). It is told of them and
// changes nothing.
//   a participant:  wait + [latency + down_bits/downlink] + gradients/speed + [latency + up_bits/uplink]
//   an exchange:    that of its slowest participant, and the server's own seconds
// A message of no bits is none: it has no latency either.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "client_network.h"
#include "pollen/archive.h"
#include "round/traffic.h"
#include "run/simulated_time.h"

namespace pollen {

class SimulatedClock {
 public:
  SimulatedClock(const Config& config, const ClientNames& clients) : network_(config, clients) {}

  void exchange(std::span<const ClientTraffic> loads);
  void set_up() { time_.setup = time_.total(); }  // all so far was
  const SimulatedTime& time() const { return time_; }
  std::uint64_t exchanges() const { return exchanges_; }
  void archive(Archive& archive);

 private:
  ClientNetwork network_;
  SimulatedTime time_;
  std::uint64_t exchanges_ = 0;
};

// One of the configuration's [network], or none. `names` may be fewer than the clients, who then are "1", "2", ...
std::unique_ptr<SimulatedClock> make_simulated_clock(const Config& config, Index clients, const ClientNames& names);

}  // namespace pollen
