// An Engine advances chains: by federated rounds, by a reference sampler or by a competitor. An experiment
// drives one engine through this interface alone. Engines print nothing, read no clock and are not thread-safe.
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

  // Sets the starting positions, one column per chain, before the first iteration.
  virtual void start(ConstPanelView position) = 0;
  // Advances every chain by at least one and at most `most` iterations, up to the next state that can be emitted. An
  // engine whose iterations take several exchanges may do one exchange alone. Returns the number of iterations done.
  // NumericError if a state is not finite or explodes.
  virtual std::int64_t advance(std::int64_t most) = 0;
  // Whether position() is a state that can be emitted now.
  virtual bool emits() const { return true; }
  virtual ConstPanelView position() const = 0;  // d × R
  virtual std::int64_t iteration() const = 0;   // done so far
  virtual Counters& counters() = 0;
  // Reports every further exchange with clients to the listener. An engine without exchanges ignores it. The call comes
  // before archive().
  virtual void listen(TrafficListener) {}
  // The transitions of the iteration that advance() has completed, one per chain; empty if they have nothing to report.
  virtual std::span<const Transition> transitions() const { return {}; }
  // U at position(), one number per chain, if the engine has computed it anyway; else empty.
  virtual std::span<const double> potentials() const { return {}; }
  // Saves or loads the whole state between two calls of advance(). After loading, the same draws follow, bit for bit.
  virtual void archive(Archive& archive) = 0;
};

}  // namespace pollen
