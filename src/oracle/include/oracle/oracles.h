// The table of all oracles (pollen/oracle.h, docs/algorithms.md section 1), from which sampler.oracle is chosen.
// Reading it is thread-safe.
#pragma once

#include "base/registry.h"
#include "pollen/oracle.h"

namespace pollen {

struct OracleRow {
  std::string name, summary;
  std::string keys;  // the keys of [sampler] that this oracle reads, separated by spaces
  OracleKind kind;
  std::unique_ptr<Oracle> (*make)(const Potential& potential, Index batch, Index chains);
};
const Registry<OracleRow>& oracles();
const OracleRow& oracle_row(OracleKind kind);

}  // namespace pollen
