// An Oracle is a client's estimate H_i of the gradient of its likelihood (docs/algorithms.md section 1):
//
//   full         ∇U_i(θ)
//   minibatch    (N/n) Σ_{j∈S} ∇U_ij(θ)
//   fixed point  (N/n) Σ_{j∈S} [∇U_ij(θ) - ∇U_ij(θ̂)]
//   control      (N/n) Σ_{j∈S} [∇U_ij(θ) - ∇U_ij(Y)], where Y is the chain's anchor
//   clipped      (N/n) Σ_{j∈S} ∇U_ij(θ), with every term cut to a norm
//   svrg         (N/n) Σ_{j∈S} [∇U_ij(θ) - ∇U_ij(ζ)] + ∇U_i(ζ)
// S is a uniform subset of n of the client's N rows, drawn without replacement; with n ≥ N nothing is drawn. Each
// client has an oracle of its own, which keeps the client's anchor. An oracle is not thread-safe.
//
//   const auto oracle = make_oracle("minibatch", potential, 32, chains);
//   gradients += oracle->estimate(input, out, work);
//
// To use your own oracle, derive a class from Oracle and register it; sampler.oracle can then name it
// (examples/library/oracle.cc).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pollen/model.h"
#include "pollen/random.h"
#include "pollen/recipe.h"
#include "pollen/types.h"

namespace pollen {

// Temporary memory for one thread.
struct Workspace {
  Scratch scratch;
  std::vector<std::uint32_t> rows;
};

// Where to estimate the gradient. Column c of `position` belongs to chain chains[c].
struct OracleInput {
  ConstPanelView position;
  std::span<const std::uint32_t> chains;
  // svrg: ζ of every chain, empty if every client's batch is all its rows; control: Y of every chain (d × R)
  ConstPanelView anchor;
  std::span<const std::uint64_t> anchor_version;  // svrg: one per chain; it changes when the anchor does
  std::span<const Stream> minibatch;              // one per chain; the oracle fills in round and client
  std::uint64_t round = 0;
  std::uint32_t client = 0;
};

class Oracle {
 public:
  virtual ~Oracle() = default;
  // Writes H_i at column c of the position to out(:, c). Returns the number of row gradients ∇U_ij that it evaluated.
  virtual std::int64_t estimate(const OracleInput& input, const PanelView& out, Workspace& work) = 0;
  // Fixed point: stores θ̂ and ∇U_i(θ̂).
  virtual void set_anchor(std::span<const double> at, std::span<const double> gradient);
  // The state that a checkpoint must hold, as lists of arrays in a fixed order.
  virtual std::vector<std::span<double>> state() { return {}; }
  virtual std::vector<std::span<std::uint64_t>> versions() { return {}; }
};

struct BatchSize {
  Index rows = 0, batch = 0;  // N_i and n_i
};
// Draws the rows of one minibatch, sorted. Every round, client and chain has a random stream of its own.
void draw_minibatch(Stream chain, std::uint64_t round, std::uint32_t client, BatchSize size,
                    std::vector<std::uint32_t>& out);

std::unique_ptr<Oracle> make_clipped_oracle(const Potential& potential, Index batch, double clip);
// Makes the oracle of that name in the table. Throws ConfigError if there is none.
std::unique_ptr<Oracle> make_oracle(const std::string& name, const Potential& potential, Index batch, Index chains);

// One entry of the table of oracles that sampler.oracle can name.
struct OracleRow {
  std::string name;
  std::string summary;                      // one line for `pollen list oracles`
  std::string keys;                         // the keys of [sampler] that it reads, separated by spaces
  OracleKind kind = OracleKind::minibatch;  // what it needs besides the client's rows
  // Makes a client's oracle from its potential, the number of its rows per minibatch and the number of chains.
  std::function<std::unique_ptr<Oracle>(const Potential& potential, Index batch, Index chains)> make;
};

// Adds an oracle to the table. Throws std::invalid_argument if the name is taken. Not thread-safe: call it before the
// first configuration is read, which then accepts the name.
void register_oracle(OracleRow row);

}  // namespace pollen
