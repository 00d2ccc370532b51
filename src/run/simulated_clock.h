// Adds up the time that a run's exchanges would take in a simulated network (docs/network-time.md). The clock is told
// of every exchange and has no influence on the run. One thread per clock.
//   a participant takes  wait + [latency + down_bits/downlink] + gradients/speed + [latency + up_bits/uplink]
//   an exchange takes    the time of its slowest participant, and the server's own seconds
// A message of zero bits does not exist and therefore has no latency either.
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
  void set_up() { time_.setup = time_.total(); }  // to be called when set-up ends
  const SimulatedTime& time() const { return time_; }
  std::uint64_t exchanges() const { return exchanges_; }
  void archive(Archive& archive);

 private:
  ClientNetwork network_;
  SimulatedTime time_;
  std::uint64_t exchanges_ = 0;
};

// Makes the clock of [network]; null without that section. If there are fewer `names` than clients, the clients are
// named "1", "2", and so on.
std::unique_ptr<SimulatedClock> make_simulated_clock(const Config& config, Index clients, const ClientNames& names);

}  // namespace pollen
