// What the server makes of a round's replies: how each of them enters the sums over clients, and where the sums take a
// chain. A Langevin step and the average of local steps are chosen by the recipe; stochastic approximation for models
// with latents lies in src/personal.
#pragma once

#include <cstdint>
#include <span>

#include "base/team.h"
#include "pollen/recipe.h"
#include "pollen/types.h"
#include "round/participation.h"

namespace pollen {

class Archive;
struct Broadcast;

class ServerStep {
 public:
  // The factors of a message in the two sums over clients. Without a memory the second sum is the only one.
  struct Weights {
    double memory = 1, step = 1;
  };
  // A chain at the end of a round.
  struct Chain {
    Index chain = 0;
    int member = 0;  // of the team: whose memory may be used
    std::uint64_t round = 0;
    const Recipe& recipe;
    const Roster& roster;
    std::span<const double> for_memory, for_step;  // the two sums; one and the same where only one is kept
    std::span<double> memory;                      // Σ h_i; empty without a memory
    std::span<double> position;
  };

  virtual ~ServerStep() = default;
  virtual void share_work(const Team&) {}

  // Whether weights are applied message by message also where all clients of a chain have the same one.
  virtual bool weighs_messages() const { return true; }
  virtual Weights weigh(std::uint32_t client, double weight) const = 0;
  // With a memory: whether the two sums differ.
  virtual bool keeps_two_sums(const Roster&) const { return true; }
  // How often a client may look at each of its rows in one chain of this round.
  virtual std::int64_t most_looks(const Broadcast& broadcast) const = 0;

  // Once per round before chains move, which different members may do at the same time.
  virtual void close(const Broadcast&) {}
  // Moves the position, and the memory. Returns the largest coordinate in size, by which the server sees explosions.
  virtual double move(const Chain& chain) = 0;
  virtual void archive(Archive&) {}
};

}  // namespace pollen
