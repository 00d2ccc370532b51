// What advances chains: the federated round, a centralised reference sampler, or a competitor. An experiment drives one
// engine and knows nothing else about it. Engines print nothing and read no clock; not thread-safe.
#pragma once

#include <cstdint>
#include <span>

#include "pollen/archive.h"
#include "pollen/round.h"
#include "pollen/types.h"

namespace pollen {

class Engine {
 public:
  virtual ~Engine() = default;

  // Before the first iteration: one starting position a chain.
  virtual void start(ConstPanelView position) = 0;
  // At least one and at most `most` further iterations of every chain, up to the next state worth emitting. Returns how
  // many were done. NumericError where a state is not finite or explodes.
  virtual std::int64_t advance(std::int64_t most) = 0;
  // Whether position() is a state to emit now.
  virtual bool emits() const { return true; }
  virtual ConstPanelView position() const = 0;  // d × R
  virtual std::int64_t iteration() const = 0;   // done so far
  virtual Counters& counters() = 0;
  // From now on every exchange with clients is told to the listener; nothing where there are none. Before archive().
  virtual void listen(TrafficListener) {}
  // One a chain, of the last iteration; empty where transitions have nothing to report.
  virtual std::span<const Transition> transitions() const { return {}; }
  // The whole state between two calls of advance, saved or loaded: the same draws follow, bit for bit.
  virtual void archive(Archive& archive) = 0;
};

}  // namespace pollen
