// Where FedSOUL and FedSOUK start a mixed-effects model whose steps are not given: at the fit of all clients' rows with
// one common z in place of latents, which needs a few exchanges of gradients and Hessians. Chains start two standard
// errors around it. Standard deviations start at the residual's, and those of the latents at what would explain as
// much.
#pragma once

#include "personal.h"
#include "run/questions.h"

namespace pollen {

// Moves the starting positions in `start`, one column per chain, to the pooled fit. Adds the exchanges to `found`.
void start_pooled(Transport& clients, const PersonalParts& parts, const Config& config, SetupFindings& found,
                  PanelView start);

}  // namespace pollen
