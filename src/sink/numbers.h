// Small things that several files of this room need: NaN as "unknown", sums of logarithms, numbers as JSON.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "pollen/types.h"

namespace pollen::sink {

using Json = nlohmann::ordered_json;

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// log(exp(a) + exp(b)), also where one of them or both are zero.
inline double log_add(double a, double b) {
  const double high = std::max(a, b), low = std::min(a, b);
  return std::isinf(low) && low < 0 ? high : high + std::log1p(std::exp(low - high));
}

// A number as JSON, which has no NaN and no infinity: these become null.
inline Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

inline Json json_numbers(std::span<const double> values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(json_number(value));
  return list;
}

// The text on one line. Bytes that are not UTF-8 are replaced, not refused.
inline std::string compact(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace pollen::sink
