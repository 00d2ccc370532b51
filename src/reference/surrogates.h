// Gaussian surrogates exp(-Q_s) of the clients' parts of a posterior, Q_s = ½θᵀΛ_sθ - h_sᵀθ, and how clients find them.
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

  // g += weight ∇Q(θ)
  void add_gradient(std::span<const double> theta, double weight, std::span<double> g) const;
  std::int64_t words() const { return precision.words() + static_cast<std::int64_t>(shift.size()); }
  void archive(Archive& archive);
};

// Those of all clients, and their product.
struct Surrogates {
  Surrogates(Index dimension, Index clients, bool diagonal);
  // Λ_s = precision, h_s = Λ_s mean.
  void set(Index client, const Symmetric& precision, std::span<const double> mean);
  void multiply();  // all clients are set: `all` is their product
  void archive(Archive& archive);

  Surrogate all;
  std::vector<Surrogate> own;
};

// How they are fitted, in iterations that move no chain: start, so many times iterate (and collect), take.
class SurrogateFit {
 public:
  virtual ~SurrogateFit() = default;
  virtual Surrogates empty() const = 0;  // of the right shape
  virtual Index sets() const = 0;        // 1, which all chains share, or one a chain
  virtual void start(const Chains& chains) = 0;
  virtual void iterate(Chains& chains) = 0;
  virtual void collect() = 0;                                      // takes where clients are now into their moments
  virtual std::vector<Surrogates> take(const Chains& chains) = 0;  // ends the fit
  virtual void archive(Archive& archive) = 0;
};

// From draws of exp(-(U_s + U_0)), the prior taken out again; for all chains.
std::unique_ptr<SurrogateFit> make_fit_of_draws(const Chains& chains, const ReferenceSettings& settings,
                                                std::int64_t warm_up);
// SWAG (Maddox et al. 2019), diagonal; one a chain, since chains may be near different modes.
std::unique_ptr<SurrogateFit> make_swag_fit(const Chains& chains, const ReferenceSettings& settings);

}  // namespace pollen::reference
