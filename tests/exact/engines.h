// Engines of exact kernels on problems of tests/reference/support.h, whose potentials this process has.
#pragma once

#include "exact/exact.h"
#include "reference/support.h"

namespace pollen::exact {

using reference::expect_law;
using reference::Federated;
using reference::gaussians;
using reference::logistic;
using reference::matrices;
using reference::run;
using reference::Sampled;
using reference::start_at;
using reference::target_of;

// Makes an engine whose chains start with all coordinates at `value`.
std::unique_ptr<Engine> started(const std::string& kernel, const ReferenceProblem& problem, const Settings& settings,
                                double value = 0, Index ahead = 1);

}  // namespace pollen::exact
