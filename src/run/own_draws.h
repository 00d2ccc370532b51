// Draws a client's latent from its own posterior at given φ and β, by NUTS (docs/personal.md). These draws stay with
// the client. Several threads may work for different clients at once.
#pragma once

#include <functional>

#include "personal.h"
#include "run/personal_results.h"

namespace pollen {

using OwnDrawVisitor =
    std::function<void(Index chain, Index draw, std::span<const double> shared, std::span<const double> z)>;

// Draws the latent given a client's rows, chain after chain, and calls `visit` for every draw. `learnt` is (φ, β) with
// one column per chain, and every chain draws at its own column.
void for_each_own_draw(const PersonalParts& parts, const PersonalRows& rows, ConstPanelView learnt, Index draws,
                       std::uint64_t seed, const OwnDrawVisitor& visit);

// The same with the uncertainty of (φ, β): every few of `draws` draws have a (φ, β) of their own from the normal
// distribution of the estimates, which `learnt` has in the units of the data.
void for_each_uncertain_draw(const PersonalParts& parts, const PersonalRows& rows, const Learnt& learnt, Index draws,
                             std::uint64_t seed, const OwnDrawVisitor& visit);

// Draws for a client of the run and averages its predictions.
OwnDraws draw_own(const PersonalParts& parts, Index client, const OwnQuestion& question, ConstPanelView learnt,
                  std::uint64_t seed);

// The same for a baseline, which has one point per chain: the model that the client predicts with. `latents` are the
// client's in all chains.
OwnDraws point_of(const PersonalParts& parts, Index client, const OwnQuestion& question, ConstPanelView position,
                  std::span<const double> latents);

}  // namespace pollen
