// Networks as potentials and predictors. The functions are thread-safe with one Scratch per thread.
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
// Returns labels such as "fc1.weight[3,17]", counted from 0 as in PyTorch.
std::vector<std::string> tensor_labels(const Network& network);
// Computes rows × outputs numbers in scratch memory, which belongs to the caller's frame.
std::span<float> network_outputs(const NetworkModel& model, std::span<const double> theta, const HeldSlice& rows,
                                 Scratch& scratch);
std::span<float> network_outputs(const NetworkModel& model, std::span<const double> theta, const RowsView& x,
                                 Scratch& scratch);
void network_probabilities(const NetworkModel& model, std::span<const double> theta, const HeldSlice& rows,
                           std::span<double> out, Scratch& scratch);
// Turn the outputs of rows into class probabilities, and into log p(y).
void to_probabilities(std::span<const float> outputs, Index classes, std::span<double> out);
void log_densities(const NetworkSpec& spec, std::span<const float> outputs, const double* y, std::span<double> out,
                   Scratch& scratch);

}  // namespace pollen::model
