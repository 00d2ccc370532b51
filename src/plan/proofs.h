// The theorems at temperature 1, one function per theorem, and the few quantities that they share.
#pragma once

#include <vector>

#include "pollen/plan.h"

namespace pollen::plan {

// A theorem: a function that computes its guarantee from constants at temperature 1. The lines below declare them.
using Proof = Guarantee(const Constants& constants, const Method& method);
Proof qlsd, qlsd_star, qlsd_pp;
Proof d_elf, p_elf, b_elf;
Proof fald, vr_fald, fa_ld;

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

// The constants of FALD's assumptions A1 to A7. U^i is the part of the potential that client i owns, and Ū = U/b. The
// proofs use strong convexity of Ū only, so m is that of U divided by b.
struct FaldConstants {
  double b = 1, d = 1;
  double m = 0;            // strong convexity of Ū
  double l = 0;            // max_i L_i
  double spread = 0;       // ω of A7: max_i A_i M̄_i L_i
  double oracle = 0;       // L̂² of A4: max_i L_i² + A_i M̄_i L_i
  double mean_spread = 0;  // ω̃ of A6: Σ A_i M̄_i L_i / b²
  double at_mode = 0;      // V*, the variance of the mean gradient at the mode
  double at_pi = 0;        // V_π ≤ 2V* + 2ω̃ E_π‖x-x*‖²
  double apart = 0;        // H = Σ‖∇U^i(x*)‖²/b
  double hessian = -1;     // L̃; negative if unknown
};
FaldConstants fald_constants(const Constants& constants);

// Turns bounds in a theorem's step into bounds in the method's step, of which one counts `unit` of the theorem's.
void convert_steps(double unit, Guarantee& guarantee);

// The name of the sampler that a theorem is about, such as "qlsd++".
const char* name_of(Theorem theorem);

}  // namespace pollen::plan
