// The rows of all oracles (pollen/oracle.h): what can be chosen as sampler.oracle.
#pragma once

#include "base/registry.h"
#include "pollen/oracle.h"

namespace pollen {

struct OracleRow {
  std::string name, summary;
  std::string keys;  // of [sampler], separated by spaces
  OracleKind kind;
  std::unique_ptr<Oracle> (*make)(const Potential& potential, Index batch, Index chains);
};
const Registry<OracleRow>& oracles();
const OracleRow& oracle_row(OracleKind kind);

}  // namespace pollen
