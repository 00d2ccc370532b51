// Gaussian surrogates exp(-Q_s) of the clients' parts of a posterior, Q_s = ½θᵀΛ_sθ - h_sᵀθ, and two ways to fit them.
// FSGLD uses them to correct its drift. Objects are not thread-safe.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "dense.h"
#include "kernel.h"

namespace pollen::reference {

struct Surrogate {
  Symmetric precision;        // Λ
  std::vector<double> shift;  // h

  // Adds the surrogate's gradient: g += weight ∇Q(θ).
  void add_gradient(std::span<const double> theta, double weight, std::span<double> g) const;
  std::int64_t words() const { return precision.words() + static_cast<std::int64_t>(shift.size()); }
  void archive(Archive& archive);
};

// The surrogates of all clients, and their product.
struct Surrogates {
  Surrogates(Index dimension, Index clients, bool diagonal);
  // Sets Λ_s = precision and h_s = Λ_s mean.
  void set(Index client, const Symmetric& precision, std::span<const double> mean);
  void multiply();  // Computes `all`, the product. Every client must have been set.
  void archive(Archive& archive);

  Surrogate all;
  std::vector<Surrogate> own;
};

// Fits surrogates in iterations that move no chain. Call start, then iterate (and collect) repeatedly, then take.
class SurrogateFit {
 public:
  virtual ~SurrogateFit() = default;
  virtual Surrogates empty() const = 0;  // surrogates of the right shape, not yet fitted
  virtual Index sets() const = 0;        // 1 if all chains share one set, otherwise one per chain
  virtual void start(const Chains& chains) = 0;
  virtual void iterate(Chains& chains) = 0;
  virtual void collect() = 0;  // adds the clients' current positions to their moments
  virtual std::vector<Surrogates> take(const Chains& chains) = 0;  // ends the fit
  virtual void archive(Archive& archive) = 0;
};

// Fits to draws of exp(-(U_s + U_0)) and then removes the prior. All chains share the result.
std::unique_ptr<SurrogateFit> make_fit_of_draws(const Chains& chains, const ReferenceSettings& settings,
                                                std::int64_t warm_up);
// Fits by SWAG (Maddox et al. 2019) with diagonal covariances. Each chain has its own set, because chains may be near
// different modes.
std::unique_ptr<SurrogateFit> make_swag_fit(const Chains& chains, const ReferenceSettings& settings);

}  // namespace pollen::reference
