// A density exp(-(U + ϖ U_0)/T): the pooled posterior or one client's part of it. Values and gradients are divided by
// T, as Metropolis tests need them.
#pragma once

#include <memory>

#include "reference/reference.h"

namespace pollen::reference {

class Target {
 public:
  struct Prior {
    const pollen::Prior* prior = nullptr;
    double share = 1;  // ϖ
  };
  Target(std::shared_ptr<const Potential> likelihood, Prior prior, double temperature);

  Index dimension() const { return likelihood_->dimension(); }
  Index rows() const { return likelihood_->rows(); }
  double temperature() const { return temperature_; }
  void value(const ConstPanelView& theta, std::span<double> out, Scratch& scratch) const;
  void gradient(const ConstPanelView& theta, const PanelView& out, Scratch& scratch) const;

 private:
  std::shared_ptr<const Potential> likelihood_;
  Prior prior_;
  double temperature_;
};

// Presents the rows of all clients as one potential Σ U_i, with rows numbered client after client.
std::shared_ptr<const Potential> make_pooled(const ReferenceProblem& problem);

// Wraps a potential that the caller keeps alive.
std::shared_ptr<const Potential> borrowed(const Potential& potential);

}  // namespace pollen::reference
