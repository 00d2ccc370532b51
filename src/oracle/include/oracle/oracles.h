// The table of all oracles (pollen/oracle.h, docs/algorithms.md section 1), from which sampler.oracle is chosen.
// Reading it is thread-safe.
#pragma once

#include "base/registry.h"
#include "pollen/oracle.h"

namespace pollen {

const Registry<OracleRow>& oracles();

}  // namespace pollen
