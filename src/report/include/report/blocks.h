// Encodes arrays of numbers for web/src/data.ts as base64 of little-endian words, which takes a third of the space of
// JSON's digits. The functions are pure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace pollen::report {

using Json = nlohmann::ordered_json;

std::string base64(std::span<const std::uint8_t> bytes);

// Writes numbers as JSON with nine digits, which is enough for people and plots. NaN and infinity, which JSON lacks,
// become null.
Json number(double value);
Json numbers(std::span<const double> values);

Json counts_block(const std::vector<std::size_t>& shape, std::span<const std::uint32_t> values);

// Scales each row (first index) to words of 16 bits. The range is that of the row's finite numbers unless `low` is
// given; a number that is not finite becomes 65535.
Json scaled_block(const std::vector<std::size_t>& shape, std::span<const double> values, const double* low = nullptr);

}  // namespace pollen::report
