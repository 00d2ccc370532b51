// The theorems at temperature 1, one function per theorem, and the few quantities that they share.
#pragma once

#include <vector>

#include "pollen/plan.h"

namespace pollen::plan {

Guarantee qlsd(const Constants& constants, const Method& method);
Guarantee qlsd_star(const Constants& constants, const Method& method);
Guarantee qlsd_pp(const Constants& constants, const Method& method);
Guarantee d_elf(const Constants& constants, const Method& method);
Guarantee p_elf(const Constants& constants, const Method& method);
Guarantee b_elf(const Constants& constants, const Method& method);
Guarantee fald(const Constants& constants, const Method& method);
Guarantee vr_fald(const Constants& constants, const Method& method);
Guarantee fa_ld(const Constants& constants, const Method& method);

// A_{n,N} = N(N-n)/(n(N-1)) of QLSD's (S36), the factor of a minibatch's variance; 0 for the full gradient.
double batch_factor(double rows, double batch);
inline double batch_factor(const ClientConstants& client) { return batch_factor(client.rows, client.batch); }

// Bounds W2²(start, π) by (E‖θ_0-θ*‖²^½ + (d/m)^½)², from the triangle inequality and E_π‖θ-θ*‖² ≤ d/m.
double start_square(const Constants& constants);

// How a client's message enters a round. `weight` is the p of QLSD's proofs: the weights w_i of the messages v_i obey
// Var(Σ w_i v_i) ≤ Σ (1-p)/p ‖v_i‖². `present` is the probability that the client takes part.
struct Presence {
  double weight = 1;
  double present = 1;
};
std::vector<Presence> presences(const Participation& participation, const Constants& constants);

// Returns the same problem at temperature 1, with U/T in place of U. A step γ for U at T is a step γT for U/T.
Constants tempered(const Constants& constants);

// Quantities that D-ELF, P-ELF and B-ELF share (ELF, Lemma B.4, for a start at a point). D-ELF and P-ELF differ in the
// compressor's α; B-ELF has both.
double elf_mean_square_smoothness(const Constants& constants);         // L̄ = b Σ L_i²
double elf_first_move(const Constants& constants, double step);        // E‖x_1-x_0‖²
double elf_first_divergence(const Constants& constants, double step);  // KL(x_1 | π)

}  // namespace pollen::plan
