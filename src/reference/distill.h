// Distils an ensemble into one model, for FedBE. The model takes stochastic gradient steps on the mean cross-entropy
// between the ensemble's averaged predictions q and its own, over rows without labels. Each step draws rows and, for
// every row, a label from its q, so the gradient is unbiased. The result is the mean of the second half of the iterates
// (stochastic weight averaging).
#pragma once

#include <vector>

#include "kernel.h"

namespace pollen::reference {

class Distillation {
 public:
  Distillation(std::shared_ptr<const Unlabelled> unlabelled, const ReferenceSettings& settings);

  void clear();                                             // begins a new ensemble
  void add(std::span<const double> theta, Chains& chains);  // adds one member's predictions
  // Trains the model. `theta` holds the starting point and receives the result. `from` is the random stream of this
  // round and chain.
  void teach(std::span<double> theta, const Stream& from, Chains& chains);

 private:
  void step(std::span<double> theta, Stream stream, Chains& chains);

  std::shared_ptr<const Unlabelled> unlabelled_;
  Index batch_, steps_;
  double rate_;
  Index members_ = 0;
  std::vector<double> sum_, now_;                   // rows × classes
  std::vector<std::vector<std::uint32_t>> chosen_;  // rows chosen in one step, grouped by the label drawn for them
  std::vector<double> gradient_, part_, average_, uniform_;
};

}  // namespace pollen::reference
