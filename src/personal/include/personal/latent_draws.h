// Draws of a client's latent at given φ and β, by Hamiltonian Monte Carlo in coordinates that suit its curvature, which
// needs little warm-up. The model must know its second derivatives. Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "personal/personal.h"

namespace pollen {

struct LatentDraws {
  Index count = 1;
  std::uint64_t seed = 1;
  std::uint64_t number = 0;  // draws with different numbers are independent, up to `from`
  // A draw of the latent at a (φ, β) nearby, from which few steps of warm-up lead to this one's law; empty: the
  // population's mean, from which more of them do.
  std::span<const double> from = {};
};
using LatentVisitor = std::function<void(std::span<const double> z)>;

// `position` is (φ, β).
void draw_latents(const PersonalPotential& client, const Population& population, std::span<const double> position,
                  const LatentDraws& how, const LatentVisitor& visit);

}  // namespace pollen
