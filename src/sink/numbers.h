// Helpers that several files of this room share: NaN as "unknown", sums of logarithms, and numbers as JSON. Pure
// functions.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "pollen/stats.h"
#include "pollen/types.h"

namespace pollen::sink {

using Json = nlohmann::ordered_json;

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// Returns log(exp(a) + exp(b)). Either exponential, or both, may be zero.
inline double log_add(double a, double b) {
  const double high = std::max(a, b), low = std::min(a, b);
  return std::isinf(low) && low < 0 ? high : high + std::log1p(std::exp(low - high));
}

// Writes a number as JSON. NaN and infinity, which JSON lacks, become null.
inline Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

inline Json json_numbers(std::span<const double> values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(json_number(value));
  return list;
}

// Writes what summary.json and `pollen summary --json` say of one parameter.
inline Json parameter_json(const std::string& name, const std::string& label, const stats::ParameterSummary& p) {
  return {{"name", name},
          {"label", label},
          {"mean", json_number(p.mean)},
          {"mcse", json_number(p.mcse)},
          {"sd", json_number(p.sd)},
          {"q5", json_number(p.q5)},
          {"q50", json_number(p.q50)},
          {"q95", json_number(p.q95)},
          {"ess_bulk", json_number(p.ess_bulk)},
          {"ess_tail", json_number(p.ess_tail)},
          {"rhat", json_number(p.rhat)}};
}

// Writes JSON on one line. Bytes that are not UTF-8 are replaced instead of refused.
inline std::string compact(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace pollen::sink
