// Distillation of an ensemble into one model: stochastic gradient descent on the mean cross-entropy between averaged
// predictions q and the model's, over rows without labels. A step draws rows, and for each a label from its q: the
// gradient's mean is that of the cross-entropy. What is learnt is the mean of the second half of the iterates (SWA).
#pragma once

#include <vector>

#include "kernel.h"

namespace pollen::reference {

class Distillation {
 public:
  Distillation(std::shared_ptr<const Unlabelled> unlabelled, const ReferenceSettings& settings);

  void clear();                                             // begins an ensemble
  void add(std::span<const double> theta, Chains& chains);  // a member's predictions
  // theta: where the descent starts, and the model learnt. `from` has the numbers of this round and chain.
  void teach(std::span<double> theta, const Stream& from, Chains& chains);

 private:
  void step(std::span<double> theta, Stream stream, Chains& chains);

  std::shared_ptr<const Unlabelled> unlabelled_;
  Index batch_, steps_;
  double rate_;
  Index members_ = 0;
  std::vector<double> sum_, now_;                   // rows × classes
  std::vector<std::vector<std::uint32_t>> chosen_;  // rows of a step, by the label drawn
  std::vector<double> gradient_, part_, average_, uniform_;
};

}  // namespace pollen::reference
