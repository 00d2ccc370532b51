// What a reference engine is made of: the chains, and a kernel that moves all of them by one iteration.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pollen/oracle.h"
#include "pollen/random.h"
#include "reference/reference.h"
#include "round/engine.h"

namespace pollen::reference {

struct Chains {
  // client: whose numbers are drawn, where clients sample by themselves; 0 for the pooled chains.
  explicit Chains(ReferenceProblem p, std::uint32_t own_client = 0);

  Index count() const { return position.columns(); }
  Index clients() const { return static_cast<Index>(problem.clients.size()); }
  // The numbers of this iteration; `step` tells several uses apart.
  Stream stream(Index chain, Purpose purpose, std::uint32_t step = 0) const;
  // A round in which every client sends and receives so many vectors a chain.
  void count_exchange(Index vectors_up, Index vectors_down);
  // Beside the counters, which know all clients together: whose gradients, or bits, they were.
  void add_gradients(Index whose, std::int64_t number);
  void add_bits(Index whose, std::int64_t up, std::int64_t down);
  void archive(Archive& archive);

  ReferenceProblem problem;
  std::uint32_t client = 0;
  Panel position;
  std::int64_t iteration = 0;  // done so far
  Counters counters;
  TrafficLog loads;
  Workspace work;
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual void start(Chains&) {}
  // One iteration; the engine counts it afterwards.
  virtual void iterate(Chains& chains) = 0;
  // Whether the state after `iteration` iterations is one to emit.
  virtual bool emits(std::int64_t /*iteration*/) const { return true; }
  virtual std::span<const Transition> transitions() const { return {}; }
  virtual void archive(Archive&) {}
};

using KernelPointer = std::unique_ptr<Kernel>;

// 0, 1, ..., n-1: every chain, as oracles want it said.
std::vector<std::uint32_t> everyone(Index n);
// N_i / N: a client's weight in an average.
std::vector<double> size_weights(const ReferenceProblem& problem);

}  // namespace pollen::reference
