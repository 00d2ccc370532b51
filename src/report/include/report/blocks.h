// Numbers in bulk for web/src/data.ts: base64 of little-endian words, which is a third of what JSON's digits take.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace pollen::report {

using Json = nlohmann::ordered_json;

std::string base64(std::span<const std::uint8_t> bytes);

// JSON has no NaN and no infinity: null. Nine digits are enough for people and plots.
Json number(double value);
Json numbers(std::span<const double> values);

Json counts_block(const std::vector<std::size_t>& shape, std::span<const std::uint32_t> values);

// Words of 16 bits over a range of each first index, that of its finite numbers unless `low` is given; 65535 where a
// number is not finite.
Json scaled_block(const std::vector<std::size_t>& shape, std::span<const double> values, const double* low = nullptr);

}  // namespace pollen::report
