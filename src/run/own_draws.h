// A client's own posterior of its latent at given φ and β, by nuts: what stays at the client.
#pragma once

#include "pollen/run.h"
#include "run/personal.h"

namespace pollen {

// `learnt`: (φ, β), a column a chain; every chain draws at its own. `train`: the client's rows, none for a new client.
// `test`: rows to predict.
OwnDraws draw_own(const PersonalParts& parts, const PersonalPotential& client, ConstPanelView learnt,
                  const MixedRows& test, Index draws, std::uint64_t seed);

}  // namespace pollen
