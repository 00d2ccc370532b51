// The rows that are held out for testing, within each client.
//
// ⌊f·N_i⌋ of a client's N_i rows, each with the same probability, and of every label its share rounded up or down:
// systematic sampling with a random start over the rows sorted by label and shuffled within it.
// Address (a contract): purpose test_split, the client's number.
#pragma once

#include <cstdint>
#include <vector>

#include "partition.h"

namespace pollen::data {

struct Holdout {
  std::vector<Rows> train;  // one a client, in the file's order
  std::vector<Rows> test;
};

// `labels` may be empty: one stratum. Every client has at least one row, and keeps one for training.
Holdout hold_out(const std::vector<Rows>& clients, const std::vector<std::uint32_t>& labels, double fraction,
                 std::uint64_t seed, std::uint32_t first_client = 0);

}  // namespace pollen::data
