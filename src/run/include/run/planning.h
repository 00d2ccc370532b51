// Makes a plan for a configuration (docs/plan.md): estimates the constants that the theorems need and derives what
// follows from them. Rows stay with the clients, which answer a few queries about the mode, as for step = "auto".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pollen/plan.h"
#include "run/experiment.h"

namespace pollen {

struct PlanRequest {
  std::optional<double> precision;    // wanted Wasserstein-2 distance
  std::optional<double> round_price;  // price of a round, in gradients
  bool exact = false;                 // compute exact laws even where they take their time
};

// What it takes to get 1,000 effective draws, of all chains together, by the forecast.
struct PlannedDraws {
  double iterations = 0;
  plan::Traffic traffic;
  double seconds = 0;  // of the gradients here; 0 if clients are elsewhere
};

// The time of the planned run in the network of [network].
struct PlannedTime {
  SimulatedTime exchange;       // mean time of one exchange
  std::uint64_t simulated = 0;  // number of exchanges behind the mean
};

struct PlanReport {
  std::optional<SamplingForecast> forecast;  // what the draws will be worth
  std::string no_forecast;                   // why there is none or, with PlanRequest::exact, why it is not exact
  PlannedDraws draws;                        // with a forecast
  plan::Plan plan;
  std::vector<std::string> notes;          // where each constant comes from
  std::optional<PrivacySpending> privacy;  // what the planned run spends, if [privacy] is set
  std::optional<PrivacyMeter> meter;       // how long the budget lasts, if [privacy] is set
  std::optional<PlannedTime> time;         // if [network] is set and the sampler is not a competitor
};

// Makes the whole report. Throws NumericError if the mode cannot be found.
PlanReport make_report(Experiment& experiment, const PlanRequest& request);

// The parts of the report. estimate_constants() appends to `notes`.
plan::Constants estimate_constants(Experiment& experiment, std::vector<std::string>& notes);
// The constants by which rounds, bits and gradients are counted. They ask no client anything.
plan::Constants counting_constants(Experiment& experiment);
plan::Method method_of(const Recipe& recipe, Index dimension);
plan::Messages messages_of(const Recipe& recipe, Index clients, Index dimension, Index chains);
// The time in the network of `networked`, which may be another configuration's.
std::optional<PlannedTime> planned_time(Experiment& experiment, const plan::Messages& messages,
                                        const Config& networked);

}  // namespace pollen
