// A plan for a configuration: the constants that the theorems ask for, estimated through the clients, and what follows
// from them. Rows do not move; clients answer a few queries about the mode, as for step = "auto".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pollen/plan.h"
#include "run/experiment.h"

namespace pollen {

struct PlanRequest {
  std::optional<double> precision;    // wanted W2
  std::optional<double> round_price;  // of a round, in gradients
};

// The run as planned, in the network of [network].
struct PlannedTime {
  SimulatedTime exchange;       // the mean of one
  std::uint64_t simulated = 0;  // of so many
};

struct PlanReport {
  plan::Plan plan;
  std::vector<std::string> notes;          // where each constant comes from
  std::optional<PrivacySpending> privacy;  // of the run as planned, where [privacy] is set
  std::optional<PrivacyMeter> meter;       // likewise: how long the budget lasts
  std::optional<PlannedTime> time;         // where [network] is set and the sampler is no competitor
};

// NumericError where the mode cannot be found.
PlanReport make_report(Experiment& experiment, const PlanRequest& request);

// The parts of it. `notes` are added to.
plan::Constants estimate_constants(Experiment& experiment, std::vector<std::string>& notes);
plan::Method method_of(const Recipe& recipe, Index dimension);
plan::Messages messages_of(const Recipe& recipe, Index dimension, Index chains);
std::optional<PlannedTime> planned_time(Experiment& experiment, const plan::Messages& messages);

}  // namespace pollen
