// The time that a run would take in the network of [network], by cause (docs/network-time.md). Every exchange adds the
// seconds of its slowest participant.
#pragma once

namespace pollen {

struct SimulatedTime {
  double waiting = 0;  // waiting for a participant that was away
  double down = 0;     // messages of the server under way, latency included
  double computing = 0;
  double up = 0;      // messages of the clients under way, latency included
  double server = 0;  // the server's own work between exchanges
  double setup = 0;   // the part of all these that was spent before the first iteration

  double total() const { return waiting + down + computing + up + server; }
};

}  // namespace pollen
