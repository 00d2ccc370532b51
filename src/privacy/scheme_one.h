// FA-LD, Theorem G.3, scheme I: S clients are drawn with replacement, so the client with the changed row may be drawn s
// times, and
//   δ̃ = Σ_{s=1}^S C(S,s) q^s (1-q)^{S-s} F_s(ε_K) ( 1.25 K γ (δ_0/1.25)^{1/s²} + δ_1 )
//   F_s(x) = (e^x - 1)/(e^{x/s} - 1)
// where q is 1/N or the largest share. All sums work with logarithms, because the terms range over hundreds of decades.
#pragma once

#include <vector>

#include "pollen/types.h"

namespace pollen::privacy {

class SchemeOne {
 public:
  SchemeOne(Index drawn, double q, double steps_rate);  // steps_rate = K γ

  double chance() const;  // 1 - (1-q)^S, the probability that the client is drawn at all

  // The two parts of δ̃, where depth = ln(1.25/δ_0).
  double part_0(double epsilon_k, double depth) const;
  double part_1(double epsilon_k, double delta_1) const;

  // Inverts part_0: returns the smallest depth >= `least` with part_0 <= target.
  double depth_for(double epsilon_k, double target, double least) const;

 private:
  double log_weight(Index s, double epsilon_k) const;

  Index drawn_;
  double q_;
  double log_scale_;                 // ln(1.25 K γ)
  std::vector<double> log_chances_;  // ln of the probability to be drawn s times, for s = 1..S
};

}  // namespace pollen::privacy
