// A client's own posterior of its latent at given φ and β, by nuts: what stays at the client.
#pragma once

#include <functional>

#include "personal.h"
#include "run/experiment.h"

namespace pollen {

using OwnDrawVisitor =
    std::function<void(Index chain, Index draw, std::span<const double> shared, std::span<const double> z)>;

// Draws of the latent given a client's rows, chain after chain. `learnt`: (φ, β), a column a chain; every chain draws
// at its own.
void for_each_own_draw(const PersonalParts& parts, const PersonalRows& rows, ConstPanelView learnt, Index draws,
                       std::uint64_t seed, const OwnDrawVisitor& visit);

OwnDraws draw_own(const PersonalParts& parts, Index client, ConstPanelView learnt, Index draws, std::uint64_t seed);

// A baseline's: one point a chain, with the φ the client predicts with.
OwnDraws point_of(const PersonalParts& parts, const PersonalEngine& engine, Index client);

}  // namespace pollen
