// Draws a client's latent from its own posterior (docs/personal.md): with the uncertainty of (φ, β), or at given ones
// where that is not known. These draws stay with the client. Several threads may work for different clients at once.
#pragma once

#include <functional>

#include "personal.h"
#include "run/personal_results.h"

namespace pollen {

using OwnDrawVisitor =
    std::function<void(Index chain, Index draw, std::span<const double> shared, std::span<const double> z)>;

// Every client draws its latent with a seed of its own.
inline std::uint64_t latent_seed(std::uint64_t seed, std::uint64_t client) {
  return seed + 0x9e3779b97f4a7c15U * (client + 1);
}

// Draws the latent given a client's rows by NUTS, chain after chain, and calls `visit` for every draw. `learnt` is (φ,
// β) with one column per chain, and every chain draws at its own column.
void for_each_own_draw(const PersonalParts& parts, const PersonalRows& rows, ConstPanelView learnt, Index draws,
                       std::uint64_t seed, const OwnDrawVisitor& visit);

// Seeds of draws. Draws of different clients with the same seed for the estimates belong together: number n of all of
// them is at the same (φ, β).
struct OwnSeeds {
  std::uint64_t estimates = 1, latents = 1;
};

// Draws `draws` in all with the uncertainty of (φ, β): every few of them, at most a thousandth, have a (φ, β) of their
// own from the normal distribution of the estimates. `learnt` is in the units of the standardised columns here, too.
void for_each_uncertain_draw(const PersonalParts& parts, const PersonalRows& rows, const Learnt& learnt, Index draws,
                             OwnSeeds seeds, const OwnDrawVisitor& visit);

// Draws one latent at each of these draws of (φ, β), so that (φ, β, z) is a draw of the joint posterior. `positions`
// are as in Learnt. Without second derivatives of the model draws are at a few of the positions only, by NUTS.
void for_each_posterior_draw(const PersonalParts& parts, const PersonalRows& rows, ConstPanelView positions,
                             std::uint64_t seed, const OwnDrawVisitor& visit);

// Draws for a client of the run and averages its predictions.
OwnDraws draw_own(const PersonalParts& parts, Index client, const OwnQuestion& question, const Learnt& learnt,
                  OwnSeeds seeds);

// The same for a baseline, which has one point per chain: the model that the client predicts with. `latents` are the
// client's in all chains.
OwnDraws point_of(const PersonalParts& parts, Index client, const OwnQuestion& question, ConstPanelView position,
                  std::span<const double> latents);

}  // namespace pollen
