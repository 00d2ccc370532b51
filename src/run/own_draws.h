// A client's own posterior of its latent at given φ and β, by nuts: what stays at the client.
#pragma once

#include <functional>

#include "pollen/run.h"
#include "run/personal.h"

namespace pollen {

using OwnDrawVisitor =
    std::function<void(Index chain, Index draw, std::span<const double> shared, std::span<const double> z)>;

// Draws of the latent, chain after chain.
void for_each_own_draw(const PersonalParts& parts, const PersonalPotential& client, ConstPanelView learnt, Index draws,
                       std::uint64_t seed, const OwnDrawVisitor& visit);

// `learnt`: (φ, β), a column a chain; every chain draws at its own. `train`: the client's rows, none for a new client.
// `test`: rows to predict.
OwnDraws draw_own(const PersonalParts& parts, const PersonalPotential& client, ConstPanelView learnt,
                  const MixedRows& test, Index draws, std::uint64_t seed);

// A baseline's: one point a chain, with the φ the client predicts with.
OwnDraws point_of(const PersonalParts& parts, const PersonalEngine& engine, Index client, const MixedRows& test);

}  // namespace pollen
