#include "sink/draw_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sink/text.h"

namespace pollen::sink {

std::optional<DrawCost> draw_cost(const Counters& counters, States states,
                                  const std::vector<stats::ParameterSummary>& parameters) {
  if (states != States::draws) return std::nullopt;
  double draws = std::numeric_limits<double>::infinity();
  for (const stats::ParameterSummary& p : parameters)
    if (p.ess_bulk > 0) draws = std::min(draws, p.ess_bulk);
  if (!std::isfinite(draws)) return std::nullopt;
  const auto each = [draws](std::int64_t count) { return static_cast<double>(count) / draws; };
  return DrawCost{draws, each(counters.rounds), each(counters.uplink_bits), each(counters.downlink_bits),
                  each(counters.gradients)};
}

std::string in_words(const DrawCost& cost) {
  std::string text = "per effective draw: ";
  if (cost.rounds > 0)
    text += fmt::format("{:.3g} rounds, {} up, {} down, ", cost.rounds, human_bits(cost.uplink_bits),
                        human_bits(cost.downlink_bits));
  return text + (cost.gradients < 10 ? short_number(cost.gradients) : grouped(std::llround(cost.gradients))) +
         " gradients";
}

}  // namespace pollen::sink
