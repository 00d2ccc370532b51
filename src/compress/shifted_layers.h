// The shifted layered quantiser, whose error is exactly N(0, s²) and independent of what is quantised (Wilson's layered
// multishift coupling, 2000, used as a quantiser by Hegazy and Li 2022; derived in docs/coded-langevin.md). For every
// coordinate both ends draw X ~ N(0, 1), V ~ U(0, 1) and a dither u ~ U(-½, ½) from one address:
//
//   ℓ = X²/2 - ln V,  t = exp(-ℓ),  a(q) = √(-2 ln q)
//   width  Δ = a(t) + a(1-t) ≥ 2.3548,   centre c = ± (a(t) - a(1-t))/2 with the sign of X, in units of s
//   k = round(v/(sΔ) - u),               decoded = ((k + u) Δ + c) s
//
// Given the layer, the error is uniform on an interval around c of width Δ; over the layers it is normal. The random
// numbers of coordinate j are normal j of the stream, and uniforms j of the streams with the next two steps. The
// functions are pure, use no libm, and give the same bits on AVX2 and AVX-512.
#pragma once

#include <span>

#include "pollen/random.h"
#include "pollen/types.h"

namespace pollen::compress {

inline constexpr std::uint32_t kStepsPerLayer = 3;  // steps of the stream that the layers of a vector use

// The layers of a vector's coordinates, in units of s.
struct Layers {
  std::span<double> width, centre, dither;
};

// Memory for the layers of d coordinates, in the caller's scratch frame.
Layers take_layers(Index d, Scratch& scratch);
void draw_layers(const Stream& stream, const Layers& out);

// Writes the whole numbers k to `steps` and the decoded values. `decoded` may be v. Returns whether all |k| are below
// `most`; they are not if a value of v is not finite.
bool quantise_in(const Layers& layers, double spread, std::span<const double> v, double most, std::span<double> steps,
                 std::span<double> decoded);
void restore_in(const Layers& layers, double spread, std::span<const double> steps, std::span<double> decoded);

}  // namespace pollen::compress
