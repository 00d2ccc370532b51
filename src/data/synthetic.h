// Parts shared by the generators of synthetic data.
//
// Random numbers have fixed addresses, which are a contract: the purpose is synthetic and the client is i; round 0
// draws the client's size, round 1 its parameters, round 2 its rows, round 3 the noise of its targets. Client
// 0xffffffff, which no federation has, stands for what all clients share.
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

// Returns a maker if a table of `cells` numbers is too large to be held beside its encoded copy, otherwise null.
std::shared_ptr<RowMaker> maker_for(Index cells, RowMaker::Make make);

// Adds a client, named by its index counted from 1. x holds `rows` rows of `width` numbers, or is empty if there is a
// maker.
void add_client(RawTable& table, const std::shared_ptr<RowMaker>& maker, Long<double> x, std::size_t rows, Index width);

}  // namespace pollen::data::synthetic
