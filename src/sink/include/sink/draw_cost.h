// What an effective draw has cost a run: everything that was sent and computed from the first iteration on, burn-in
// included, over the least bulk ESS of all parameters. It compares samplers whose draws are worth different amounts
// (docs/samplers.md). Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pollen/round.h"
#include "pollen/stats.h"
#include "sink/facts.h"

namespace pollen::sink {

struct DrawCost {
  double draws = 0;  // effective ones
  // Per effective draw. Bits are of payloads, summed over clients.
  double rounds = 0, uplink_bits = 0, downlink_bits = 0, gradients = 0;
  bool operator==(const DrawCost&) const = default;
};

// Returns nothing unless the states are draws of a posterior whose ESS is known.
std::optional<DrawCost> draw_cost(const Counters& counters, States states,
                                  const std::vector<stats::ParameterSummary>& parameters);

// One line, such as "per effective draw: 2.42 rounds, 33.5 kbit up, 28.7 kbit down, 16,400 gradients"; a run without
// rounds has gradients alone.
std::string in_words(const DrawCost& cost);

}  // namespace pollen::sink
