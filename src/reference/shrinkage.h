// Computes Σ_ℓ⁻¹ (x - x̄_ℓ) for the shrinkage estimate Σ_ℓ = ρ_ℓ I + (1-ρ_ℓ) S_ℓ of a covariance from ℓ samples, with
// ρ_ℓ = 1/(1 + (ℓ-1)ρ), in O(ℓ²d) time and O(ℓd) memory without forming a matrix (Al-Shedivat et al. 2021, section 4
// and appendix). Objects are not thread-safe.
//
// With u_k = x_k - x̄_{k-1}, (k-1) S_k = Σ_{m ≤ k} (m-1)/m u_m u_mᵀ. Hence Σ_ℓ/ρ_ℓ = I + Σ_m β_m u_m u_mᵀ with β_m =
// ρ(m-1)/m, one rank-one change per sample, which the Sherman-Morrison formula inverts.
#pragma once

#include <span>
#include <vector>

#include "pollen/types.h"

namespace pollen::reference {

class ShrinkageSolver {
 public:
  ShrinkageSolver(Index dimension, Index samples, double shrinkage);

  void clear();
  void add(std::span<const double> sample);  // at most `samples` calls after a clear()
  Index count() const { return count_; }
  void solve(std::span<const double> x, std::span<double> out);  // out = Σ_ℓ⁻¹ (x - x̄_ℓ), ℓ = count() >= 1

 private:
  // Computes v ← (I + Σ_m β_m u_m u_mᵀ)⁻¹ v over the samples so far.
  void apply_inverse(std::span<double> v);

  double shrinkage_;
  Index count_ = 0;
  std::vector<double> mean_, deviation_;
  Panel image_;                 // column m: the inverse before sample m, applied to u_m
  std::vector<double> factor_;  // β_m / (1 + β_m u_mᵀ image_m)
  std::vector<double> projection_;
};

}  // namespace pollen::reference
