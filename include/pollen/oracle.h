// Oracles: a client's estimate H_i of its gradient, with whatever anchor it keeps.
//
//   full         ∇U_i(θ)
//   minibatch    (N/n) Σ_{j∈S} ∇U_ij(θ)
//   fixed point  (N/n) Σ_{j∈S} [∇U_ij(θ) - ∇U_ij(θ̂)]
//   control      (N/n) Σ_{j∈S} [∇U_ij(θ) - ∇U_ij(Y)], Y a chain's anchor
//   clipped      (N/n) Σ_{j∈S} ∇U_ij(θ), every term cut to a norm
//   svrg         (N/n) Σ_{j∈S} [∇U_ij(θ) - ∇U_ij(ζ)] + ∇U_i(ζ)
// S is uniform without replacement; n ≥ N draws nothing. Each client has one oracle; it is not thread-safe.
//
//   const auto oracle = make_oracle(OracleKind::minibatch, potential, 32, chains);
//   gradients += oracle->estimate(input, out, work);
//
// An oracle of your own is a class derived from Oracle, given to a run as RunOptions::oracle
// (examples/library/oracle.cc).
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "pollen/model.h"
#include "pollen/random.h"
#include "pollen/recipe.h"
#include "pollen/types.h"

namespace pollen {

// Temporary memory of one thread.
struct Workspace {
  Scratch scratch;
  std::vector<std::uint32_t> rows;
};

// Where to estimate: column c of `position` belongs to chain chains[c].
struct OracleInput {
  ConstPanelView position;
  std::span<const std::uint32_t> chains;
  ConstPanelView anchor;                          // svrg, control: ζ or Y of every chain (d × R)
  std::span<const std::uint64_t> anchor_version;  // svrg: one a chain
  std::span<const Stream> minibatch;              // one a chain, round and client filled in by the oracle
  std::uint64_t round = 0;
  std::uint32_t client = 0;
};

class Oracle {
 public:
  virtual ~Oracle() = default;
  // out(:, c) = H_i at column c. Returns the number of ∇U_ij evaluated.
  virtual std::int64_t estimate(const OracleInput& input, const PanelView& out, Workspace& work) = 0;
  // fixed point: stores θ̂ and ∇U_i(θ̂).
  virtual void set_anchor(std::span<const double> at, std::span<const double> gradient);
  // The state a checkpoint must hold, as a list of arrays in a fixed order.
  virtual std::vector<std::span<double>> state() { return {}; }
  virtual std::vector<std::span<std::uint64_t>> versions() { return {}; }
};

// How a client's oracle is made: its potential, how many of its rows the sampler wants, the number of chains.
using MakeOracle = std::function<std::unique_ptr<Oracle>(const Potential& potential, Index batch, Index chains)>;

// The rows of a client's minibatch of one chain, sorted: an address of its own a round, client and chain.
struct BatchSize {
  Index rows = 0, batch = 0;
};
void draw_minibatch(Stream chain, std::uint64_t round, std::uint32_t client, BatchSize size,
                    std::vector<std::uint32_t>& out);

std::unique_ptr<Oracle> make_clipped_oracle(const Potential& potential, Index batch, double clip);
std::unique_ptr<Oracle> make_oracle(OracleKind kind, const Potential& potential, Index batch, Index chains);

}  // namespace pollen
