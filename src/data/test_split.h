// Holds out rows for testing within each client. The function is pure.
//
// It takes ⌊f·N_i⌋ of a client's N_i rows, each with the same probability, and of every label its share rounded up or
// down, by systematic sampling with a random start over the rows sorted by label and shuffled within it. The address of
// the random numbers is a contract: purpose test_split and the client's number.
#pragma once

#include <cstdint>
#include <vector>

#include "partition.h"

namespace pollen::data {

struct Holdout {
  std::vector<Rows> train;  // one per client, in the file's order
  std::vector<Rows> test;
};

// `labels` may be empty, which means one stratum. Every client must have at least one row, and keeps at least one for
// training.
Holdout hold_out(const std::vector<Rows>& clients, const std::vector<std::uint32_t>& labels, double fraction,
                 std::uint64_t seed, std::uint32_t first_client = 0);

}  // namespace pollen::data
