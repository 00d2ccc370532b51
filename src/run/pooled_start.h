// Where FedSOUL and FedSOUK start a mixed-effects model whose steps are not given: at the fit of all clients' rows with
// one common z in place of latents, which needs a few exchanges of gradients and Hessians. Chains start two standard
// errors around it. Standard deviations start at the residual's, and those of the latents at what would explain as
// much.
#pragma once

#include "model/coordinates.h"
#include "personal.h"
#include "run/questions.h"

namespace pollen {

// Moves the starting positions in `start`, one column per chain, to the pooled fit, except for standard deviations that
// have a half-normal prior. Adds the exchanges to `found`. Returns the scales of (φ, β) there: a map A whose AAᵀ is
// about the covariance that the pooled fit and known latents would leave.
Coordinates start_pooled(Transport& clients, const PersonalParts& parts, const Config& config, SetupFindings& found,
                         PanelView start);

}  // namespace pollen
