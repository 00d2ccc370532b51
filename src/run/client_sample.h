// A random sample of clients that answers for all in set-up, where whole Hessians of all clients would cost too much.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pollen/types.h"

namespace pollen {

struct ClientSample {
  std::vector<std::uint32_t> who;  // in ascending order; empty: all clients
  double by_rows = 1;              // all rows over the rows of the sample
  double by_clients = 1;           // all clients over those of the sample

  bool all() const { return who.empty(); }
  // What one client of all sends on average if each of the sample sends so many bits.
  std::int64_t mean_bits(std::int64_t bits) const {
    return all() ? bits : static_cast<std::int64_t>(static_cast<double>(bits) / by_clients);
  }
};

// Draws `count` of the clients with these numbers of rows; 0 or all of them: the sample is everybody. Samples with
// different numbers are independent.
ClientSample draw_clients(std::uint64_t seed, std::uint64_t number, std::span<const Index> rows, Index count);

}  // namespace pollen
