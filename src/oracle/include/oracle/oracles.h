// The table of all oracles (pollen/oracle.h, docs/algorithms.md section 1), from which sampler.oracle is chosen, and
// what a device that computes the same estimates by itself shares with them. All of it is thread-safe.
#pragma once

#include "base/registry.h"
#include "pollen/oracle.h"

namespace pollen {

const Registry<OracleRow>& oracles();

// svrg: returns whether the server has made this round's position the chain's anchor ζ, whose version this is.
inline bool at_anchor(std::uint64_t version, std::uint64_t round) { return version == round + 1; }

// svrg: returns how many row gradients ∇U_ij an estimate for one chain evaluates. It needs all rows if ∇U_i(ζ) is not
// known yet, and a minibatch at θ and at ζ unless θ equals ζ.
inline std::int64_t svrg_gradients(const BatchSize& size, bool new_anchor, bool equals_anchor) {
  return (new_anchor ? size.rows : 0) + (equals_anchor ? 0 : 2 * size.batch);
}

}  // namespace pollen
