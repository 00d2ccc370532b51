// Helpers that several files of this room share: NaN as "unknown", sums of logarithms, and numbers as JSON. Pure
// functions.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>

#include "pollen/types.h"
#include "sink/draw_cost.h"
#include "sink/predictive.h"
#include "sink/stored_summary.h"

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

// Writes what summary.json and `pollen summary --json` say of one parameter. `ratio` says whether its exponential has a
// name; quantiles keep their order, so that the interval's ends are the exponentials of its ends.
inline Json parameter_json(const std::string& name, const std::string& label, const stats::ParameterSummary& p,
                           const std::string& states, bool ratio) {
  Json json = {{"name", name}, {"label", label}};
  for (const SummaryNumber& number : kSummaryNumbers) json[shown_name(number, states)] = json_number(p.*number.value);
  if (ratio)
    for (const auto& [key, value] :
         {std::pair{"ratio", p.q50}, std::pair{"ratio_q5", p.q5}, std::pair{"ratio_q95", p.q95}})
      json[key] = json_number(std::exp(value));
  return json;
}

inline Json draw_cost_json(const DrawCost& cost) {
  return {{"effective_draws", json_number(cost.draws)},
          {"rounds", json_number(cost.rounds)},
          {"uplink_bits", json_number(cost.uplink_bits)},
          {"downlink_bits", json_number(cost.downlink_bits)},
          {"gradients", json_number(cost.gradients)}};
}

inline Json scores_json(const Scores& scores) {
  Json json = Json::object();
  for (const Score& score : scores) json[score.name] = json_number(score.value);
  return json;
}

// Writes JSON on one line. Bytes that are not UTF-8 are replaced instead of refused.
inline std::string compact(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace pollen::sink
