// What a client with latents answers when the server looks for the fit without them (LatentQuestion::About::pooled).
// Thread-safe with one Scratch per thread.
#pragma once

#include "model/mixed.h"

namespace pollen {

// Adds to the columns of `out` the gradient of U by (φ, z), the Hessian, and in the first place of the last column U.
void add_pooled(const PersonalPotential& client, std::span<const double> at, PanelView out, Scratch& scratch);

}  // namespace pollen
