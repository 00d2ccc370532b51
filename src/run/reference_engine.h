// A sampler of pollen/reference.h from a configuration.
#pragma once

#include <memory>

#include "pollen/config.h"
#include "pollen/reference.h"
#include "run/problem.h"

namespace pollen {

std::unique_ptr<Engine> make_reference_engine(const Config& config, const Recipe& recipe,
                                              const StatisticalProblem& problem);

// Whether its transitions have accept statistics, tree depths and the like to keep with the draws.
bool reports_transitions(const std::string& name);

}  // namespace pollen
