// The parts of a reference engine: the chains, and a kernel that moves all of them by one iteration. Neither is
// thread-safe.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pollen/oracle.h"
#include "pollen/random.h"
#include "reference/reference.h"
#include "round/engine.h"
#include "round/traffic.h"

namespace pollen::reference {

struct Chains {
  explicit Chains(ReferenceProblem p);

  Index count() const { return position.columns(); }
  Index clients() const { return static_cast<Index>(problem.clients.size()); }
  // The random stream of this iteration; `step` tells several uses apart.
  Stream stream(Index chain, Purpose purpose, std::uint32_t step = 0) const;
  // Counts a round in which every client sends and receives this many vectors per chain.
  void count_exchange(Index vectors_up, Index vectors_down);
  // Record gradients and bits per client, besides the counters, which hold totals over all clients.
  void add_gradients(Index whose, std::int64_t number);
  void add_bits(Index whose, std::int64_t up, std::int64_t down);
  void archive(Archive& archive);

  ReferenceProblem problem;
  Panel position;
  std::int64_t iteration = 0;  // iterations completed
  Counters counters;
  TrafficLog loads;
  Workspace work;
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual void start(Chains&) {}
  // Moves all chains by one iteration. The engine counts the iteration afterwards.
  virtual void iterate(Chains& chains) = 0;
  // Returns whether the state after `iteration` iterations should be emitted.
  virtual bool emits(std::int64_t /*iteration*/) const { return true; }
  virtual void archive(Archive&) {}
};

using KernelPointer = std::unique_ptr<Kernel>;

// Builds the engine that drives a kernel.
std::unique_ptr<Engine> make_engine(std::unique_ptr<Chains> chains, KernelPointer kernel);

// Returns 0, 1, ..., n-1, the list of all chains that oracles expect.
std::vector<std::uint32_t> everyone(Index n);
// Returns the weights N_i / N of the clients in an average.
std::vector<double> size_weights(const ReferenceProblem& problem);

}  // namespace pollen::reference
