// What the generators share.
//
// Addresses (a contract): purpose synthetic, client i; round 0 the client's size, round 1 its parameters, round 2 its
// rows, round 3 the noise of its targets. Client 0xffffffff, which no federation has, is what all clients share.
#pragma once

#include <cstdint>
#include <vector>

#include "pollen/random.h"
#include "raw_table.h"

namespace pollen::data::synthetic {

constexpr int kSizes = 0;
constexpr int kParameters = 1;
constexpr int kRows = 2;
constexpr int kNoise = 3;
constexpr std::uint32_t kShared = 0xffffffff;

Stream address(std::uint64_t seed, std::uint32_t client, int round);

// None unless a table of `cells` numbers is too large to be held besides the one that it becomes.
std::shared_ptr<RowMaker> maker_for(Index cells, RowMaker::Make make);

// x holds `rows` rows of `width` numbers, or is left out where there is a maker; the client is named after its place,
// from 1.
void add_client(RawTable& table, const std::shared_ptr<RowMaker>& maker, Long<double> x, std::size_t rows, Index width);

}  // namespace pollen::data::synthetic
