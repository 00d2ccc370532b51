// Mixed-effects models: client i's rows depend on shared coefficients φ and on a latent z_i of its own.
//
//   mixed-linear    y ~ N(xᵀΦz_i, σ²)               Φ is k × d; φ = its columns one after the other (, log σ)
//   mixed-gaussian  y ~ N(aᵀφ + bᵀz_i, σ²)          a fixed, b random columns; φ (, log σ)
//   mixed-logistic  P(1) = 1/(1 + exp(-aᵀφ - bᵀz_i))
// σ is given, or log σ is the last coordinate of φ.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "math/math.h"
#include "pollen/types.h"

namespace pollen {

enum class MixedKind { linear, gaussian, logistic };

struct MixedSpec {
  MixedKind kind = MixedKind::gaussian;
  Index latent = 1;                 // d
  std::optional<double> noise_sd;   // σ; empty = log σ is part of φ. No role in mixed-logistic
  std::vector<std::string> fixed;   // names of a's columns (mixed-linear: x's)
  std::vector<std::string> random;  // names of b's columns (mixed-linear: none)

  bool samples_noise() const { return kind != MixedKind::logistic && !noise_sd; }
  Index shared() const;                            // coordinates of φ
  std::vector<std::string> shared_labels() const;  // "age", "phi[2,1]", "log_sigma"
  std::vector<std::string> latent_labels() const;  // "intercept", "z1"
};

// A client's rows: views into tables that outlive the potential. mixed-linear: both views are x.
struct MixedRows {
  RowsView fixed, random;
  const double* y = nullptr;
};

// What one client's data say of φ and z: U = -log p(D_i | φ, z), constants that depend on neither left out. Immutable
// after construction; const calls are thread-safe with a Scratch each. Any model with a shared and a personal part is
// one.
class PersonalPotential {
 public:
  virtual ~PersonalPotential() = default;
  virtual Index latent() const = 0;
  virtual Index shared() const = 0;
  virtual Index rows() const = 0;
  virtual bool learns_noise() const { return false; }  // the last coordinate of φ is log σ
  // U, with by_latent = ∇_z U and, unless it is empty, by_shared = ∇_φ U, both overwritten.
  virtual double gradient(std::span<const double> shared, std::span<const double> z, std::span<double> by_latent,
                          std::span<double> by_shared, Scratch& scratch) const = 0;
  // Upper bounds on λ_max of ∂²U/∂z² and of ∂²U/∂φ² (without log σ), for steps: the trace of a matrix above them.
  virtual double latent_curvature(std::span<const double> shared, Scratch& scratch) const = 0;
  virtual double shared_curvature(std::span<const double> shared, std::span<const double> z) const = 0;
};

std::unique_ptr<PersonalPotential> make_mixed(const MixedSpec& spec, const MixedRows& rows);

// The response's mean (mixed-logistic: P(1)) at every row.
void mixed_response(const MixedSpec& spec, std::span<const double> shared, std::span<const double> z,
                    const MixedRows& rows, std::span<double> out, Scratch& scratch);
// log p(y_r | φ, z) of every row, constants included.
void mixed_log_likelihood(const MixedSpec& spec, std::span<const double> shared, std::span<const double> z,
                          const MixedRows& rows, std::span<double> out, Scratch& scratch);

}  // namespace pollen
