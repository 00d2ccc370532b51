// Makes a reference sampler or a competitor (reference/reference.h, docs/algorithms.md section 8) from a configuration.
// The configuration is copied; the problem must outlive the engine.
#pragma once

#include <memory>

#include "pollen/config.h"
#include "reference/reference.h"
#include "run/problem.h"

namespace pollen {

std::unique_ptr<Engine> make_reference_engine(const Config& config, const Recipe& recipe,
                                              const StatisticalProblem& problem);

}  // namespace pollen
