// The statistical problem of a configuration: data, model, prior and one potential a client.
#pragma once

#include <memory>
#include <vector>

#include "pollen/config.h"
#include "pollen/data.h"
#include "pollen/model.h"

namespace pollen {

struct StatisticalProblem {
  ModelSpec model;
  Prior prior;
  Federation data;
  std::vector<std::unique_ptr<Potential>> potentials;

  Index clients() const { return potentials.empty() ? data.clients() : static_cast<Index>(potentials.size()); }
  Index dimension() const { return model.dimension(); }
};

// Reads the data and builds the rest. ConfigError where the configuration or the data are wrong.
StatisticalProblem make_problem(const Config& config);

// What the model wants of the target column.
TargetKind target_of(const std::string& model_kind);

}  // namespace pollen
