// Mixed-effects models (docs/personal.md): the rows of client i depend on shared coefficients φ and on its own latent
// z_i.
//
//   mixed-linear    y ~ N(xᵀΦz_i, σ²)               Φ is k × d; φ = its columns one after the other (, log σ)
//   mixed-gaussian  y ~ N(aᵀφ + bᵀz_i, σ²)          a fixed, b random columns; φ (, log σ)
//   mixed-logistic  P(1) = 1/(1 + exp(-aᵀφ - bᵀz_i))
//
// σ is given, or log σ is the last coordinate of φ. Const calls are thread-safe with one Scratch per thread.
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
  std::optional<double> noise_sd;   // σ; if empty, log σ is part of φ. Unused by mixed-logistic
  std::vector<std::string> fixed;   // names of a's columns (for mixed-linear, of x's)
  std::vector<std::string> random;  // names of b's columns (for mixed-linear, none)

  bool samples_noise() const { return kind != MixedKind::logistic && !noise_sd; }
  Index shared() const;                            // number of coordinates of φ
  std::vector<std::string> shared_labels() const;  // such as "age", "phi[2,1]", "log_sigma"
  std::vector<std::string> latent_labels() const;  // such as "intercept", "z1"
};

// A client's rows, as views into tables that must outlive the potential. For mixed-linear both views are x.
struct MixedRows {
  RowsView fixed, random;
  const double* y = nullptr;
};

// The negative log-likelihood of one client's data, U = -log p(D_i | φ, z), without the constants that depend on
// neither φ nor z. Any model with a shared and a personal part implements it. Immutable after construction; const calls
// are thread-safe with one Scratch per thread.
class PersonalPotential {
 public:
  virtual ~PersonalPotential() = default;
  virtual Index latent() const = 0;
  virtual Index shared() const = 0;
  virtual Index rows() const = 0;
  virtual bool learns_noise() const { return false; }  // true if the last coordinate of φ is log σ
  // Returns U and overwrites by_latent with ∇_z U and, unless it is empty, by_shared with ∇_φ U.
  virtual double gradient(std::span<const double> shared, std::span<const double> z, std::span<double> by_latent,
                          std::span<double> by_shared, Scratch& scratch) const = 0;
  // Upper bounds on λ_max of ∂²U/∂z² and of ∂²U/∂φ² (without log σ), from which steps are chosen. Each is the trace of
  // a matrix that dominates the Hessian.
  virtual double latent_curvature(std::span<const double> shared, Scratch& scratch) const = 0;
  virtual double shared_curvature(std::span<const double> shared, std::span<const double> z) const = 0;
  // Whether the next two functions may be called. They add the second derivatives of U by (φ, z), and by z alone.
  virtual bool has_hessian() const { return false; }
  virtual void add_hessian(std::span<const double> shared, std::span<const double> z, PanelView out,
                           Scratch& scratch) const;
  virtual void add_latent_hessian(std::span<const double> shared, std::span<const double> z, PanelView out,
                                  Scratch& scratch) const;
  // Whether U is quadratic in z, so that its second derivatives by z are the same for every z.
  virtual bool quadratic_in_latent() const { return false; }
};

std::unique_ptr<PersonalPotential> make_mixed(const MixedSpec& spec, const MixedRows& rows);

// Computes the mean of the response (for mixed-logistic, P(1)) at every row.
void mixed_response(const MixedSpec& spec, std::span<const double> shared, std::span<const double> z,
                    const MixedRows& rows, std::span<double> out, Scratch& scratch);
// Computes log p(y_r | φ, z) of every row, including constants.
void mixed_log_likelihood(const MixedSpec& spec, std::span<const double> shared, std::span<const double> z,
                          const MixedRows& rows, std::span<double> out, Scratch& scratch);

}  // namespace pollen
