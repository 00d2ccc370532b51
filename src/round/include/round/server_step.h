// A ServerStep is what the server does with a round's replies: it decides with which weights messages enter the sums
// over clients, and it moves the chains. The recipe chooses between a Langevin step and the average of local steps;
// stochastic approximation for models with latents and the mean of the baselines are in src/personal.
#pragma once

#include <cstdint>
#include <span>

#include "pollen/recipe.h"
#include "pollen/round.h"
#include "pollen/types.h"

namespace pollen {

class ServerStep {
 public:
  // The factors with which a message enters the two sums over clients. Without a memory only the sum for the step
  // exists.
  struct Weights {
    double memory = 1, step = 1;
  };
  // One chain at the end of a round, and what move() needs to know.
  struct Chain {
    Index chain = 0;
    int member = 0;  // the member of the team that moves the chain and whose memory may be used
    const Recipe& recipe;
    const Broadcast& broadcast;                    // the round that ends
    std::span<const double> for_memory, for_step;  // the two sums over clients; the same sum twice if only one is kept
    std::span<double> memory;                      // Σ h_i, the sum of the clients' memories; empty without a memory
    std::span<double> position;
  };

  virtual ~ServerStep() = default;
  virtual void share_work(const Team&) {}

  // May change the segment of the exchange that the server opens; the round and nothing else is known then.
  virtual void plan(Broadcast&) {}
  // Is called when the participants of an exchange are known, also on servers that follow another one.
  virtual void begin(const Broadcast&) {}

  // Whether weights are applied to each message even if all clients of a chain have the same weight.
  virtual bool weighs_messages() const { return true; }
  // Returns the factors of a client's message for a chain, given the weight from the roster.
  virtual Weights weigh(std::uint32_t client, std::uint32_t chain, double weight) const = 0;
  // Whether the sums for memory and step differ, so that both must be kept. `memory` says whether clients have one.
  virtual bool keeps_two_sums(const Roster&, bool memory) const { return memory; }
  // How often a client may evaluate each of its rows per chain in this round. A reply that claims more is refused.
  virtual std::int64_t most_evaluations_per_row(const Broadcast& broadcast) const = 0;

  // Whether every round counts, with messages for all its chains. Otherwise sends() says for which chains the algorithm
  // sends something, and a round in which nothing was sent is not counted.
  virtual bool always_sends() const { return true; }
  virtual bool sends(std::uint32_t) const { return true; }

  // Is called once per exchange before the chains move.
  virtual void close(const Broadcast&) {}
  // Whether the exchange is the last one of its round.
  virtual bool ends_round(const Broadcast& broadcast) const { return broadcast.segment.ends; }
  // Moves a chain's position and its memory. Different members may move different chains at the same time. Returns the
  // largest absolute coordinate, from which the server detects explosions.
  virtual double move(const Chain& chain) = 0;
  // Is called once per exchange after all chains have moved, and may change their positions.
  virtual void turn(PanelView) {}
  virtual void archive(Archive&) {}
};

}  // namespace pollen
