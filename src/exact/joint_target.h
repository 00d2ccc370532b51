// A client's part of the joint potential, V_i = U_i(φ, z) - log p(z | β), as a function of (φ, β) and of the
// coordinates u in which the client moves. Coordinate j is centred, u_j = z_j, or not, u_j = (z_j - μ_j)/σ_j. In the
// latter case p(u_j | β) is standard normal, and z_j moves with μ_j and σ_j:
//
//   centred:      V_i has ½((z_j - μ_j)/σ_j)² + log σ_j,
//   not centred:  V_i has ½u_j², ∂V_i/∂μ_j = ∂U_i/∂z_j, ∂V_i/∂log σ_j = σ_j u_j ∂U_i/∂z_j, ∂V_i/∂u_j = u_j + σ_j
//   ∂U_i/∂z_j.
//
// Constants are left out. One thread per object.
#pragma once

#include <span>

#include "joint_message.h"

namespace pollen::exact {

class JointTarget {
 public:
  // `centred` has one number per choice, 0 or 1. Everything must outlive the object.
  JointTarget(const JointShape& shape, const PersonalPotential& client, const Population& population,
              std::span<const double> centred, Scratch& scratch)
      : shape_(shape), client_(client), population_(population), centred_(centred), scratch_(scratch) {}

  // Returns V_i and writes its gradients by u and by `theta` = (φ, β).
  double evaluate(std::span<const double> theta, std::span<const double> u, std::span<double> by_u,
                  std::span<double> by_theta) const;
  void to_latent(std::span<const double> theta, std::span<const double> u, std::span<double> z) const;
  void from_latent(std::span<const double> theta, std::span<const double> z, std::span<double> u) const;
  // Writes σ_j² times the curvature of U_i in z_j, which says whether the client's rows or the population hold z_j.
  void relative_curvature(std::span<const double> theta, std::span<const double> z, std::span<double> out) const;
  // The variance that u_j has by a normal approximation at that relative curvature.
  double variance(std::span<const double> theta, std::size_t j, double relative) const;

 private:
  struct Place {
    std::size_t of_mean, of_log_sd;  // in (φ, β); kNone where it is not learnt
    double mean, sd;
    bool centred;
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  Place place(std::span<const double> theta, std::size_t j) const;

  const JointShape& shape_;
  const PersonalPotential& client_;
  const Population& population_;
  std::span<const double> centred_;
  Scratch& scratch_;
};

}  // namespace pollen::exact
