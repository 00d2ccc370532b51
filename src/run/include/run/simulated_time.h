// Where the time of a run would go in the network of [network] (docs/network-time.md): seconds of the slowest
// participant of every exchange, added up.
#pragma once

namespace pollen {

struct SimulatedTime {
  double waiting = 0;  // for a participant that was away
  double down = 0;     // the server's messages on their way, latency included
  double computing = 0;
  double up = 0;      // the clients'
  double server = 0;  // between exchanges
  double setup = 0;   // of all these, before the first iteration

  double total() const { return waiting + down + computing + up + server; }
};

}  // namespace pollen
