// The scale of a linear model at which the normal approximation is made. The joint mode of (β, log σ) underestimates σ
// when there are many coefficients, and there is none, or one at σ near 0, when there are as many coefficients as rows.
// So the mode of log σ's own posterior is taken, in which β was integrated out, and the best β there.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "pollen/model.h"

namespace pollen {

struct MarginalMode {
  std::vector<double> position;
  // At the position, with 0 for β with λ, so that the normal approximation has independent β and λ.
  Panel hessian;
  int exchanges = 0;       // of gradients
  double error = 0;        // the last step, in standard deviations
  bool exact_fit = false;  // the less σ, the better: there is no mode
};

// Finds the mode of U = ½ e^(-2λ) RSS(β) + N λ + U_0(β, λ), with λ = log σ last. `hessian` is that of U at `start`;
// because it is the same for all β but for a factor, it is needed only once. `gradient` asks for gradients of the
// likelihood, for one position per column. Returns nothing if the numbers do not describe such a model, or too large a
// one.
std::optional<MarginalMode> find_marginal_mode(const Prior& prior, std::vector<double> start, const Panel& hessian,
                                               double tolerance,
                                               const std::function<void(ConstPanelView, PanelView)>& gradient);

}  // namespace pollen
