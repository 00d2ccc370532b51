// Networks as potentials and predictors.
#pragma once

#include "network/network.h"
#include "pollen/model.h"

namespace pollen::model {

std::unique_ptr<Potential> make_network_potential(const NetworkModel& model, const Observations& observations,
                                                  double scale);
// Some of the rows that a network holds.
struct HeldSlice {
  const NetworkRows& held;
  Index first = 0, count = 0;
};
// rows × outputs in scratch memory, for the caller's frame.
std::span<float> network_outputs(const NetworkModel& model, std::span<const double> theta, const HeldSlice& rows,
                                 Scratch& scratch);
std::span<float> network_outputs(const NetworkModel& model, std::span<const double> theta, const RowsView& x,
                                 Scratch& scratch);
void network_probabilities(const NetworkModel& model, std::span<const double> theta, const HeldSlice& rows,
                           std::span<double> out, Scratch& scratch);
// Of rows' outputs: the classes' probabilities, and log p(y).
void to_probabilities(std::span<const float> outputs, Index classes, std::span<double> out);
void log_densities(const NetworkSpec& spec, std::span<const float> outputs, const double* y, std::span<double> out,
                   Scratch& scratch);

}  // namespace pollen::model
