// A sampler of pollen/reference.h from a configuration.
#pragma once

#include <memory>

#include "pollen/config.h"
#include "pollen/reference.h"
#include "pollen/problem.h"

namespace pollen {

std::unique_ptr<Engine> make_reference_engine(const Config& config, const Recipe& recipe,
                                              const StatisticalProblem& problem);

}  // namespace pollen
