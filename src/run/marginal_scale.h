// The scale of a linear model at which the normal approximation is made. The joint mode of (β, log σ) underestimates σ
// when there are many coefficients, so the mode of log σ's own posterior is taken, in which β was integrated out.
#pragma once

#include <vector>

#include "pollen/model.h"

namespace pollen {

constexpr Index kMostWithScale = 400;  // coefficients for which about forty Cholesky factors cost little

// Moves a joint mode of U = ½ e^(-2λ) RSS(β) + N λ + U_0(β, λ), with λ = log σ last, to the λ that maximises the marginal
// posterior and the best β there, and sets the Hessian at that point. The entries of β with λ become 0, so that the
// normal approximation has independent β and λ. Nothing happens if the numbers do not describe such a model.
//
// `mode` may also be the best β for another λ, with ∂U/∂λ = `slope` there.
void use_marginal_scale(const Prior& prior, std::vector<double>& mode, Panel& hessian, double slope = 0);

}  // namespace pollen
