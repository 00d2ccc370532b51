// What distinguishes one generalised linear model from another: how linear predictors z = Xθ become losses, residuals,
// curvature and predictions. Panels are rows × (chains · classes) without gaps between columns (stride = rows), so that
// one call serves all chains; every chain sees the same targets y. Losses do not change and are thread-safe.
#pragma once

#include <memory>
#include <stdexcept>

#include "pollen/model.h"

namespace pollen::model {

class Loss {
 public:
  virtual ~Loss() = default;
  // Returns the number of columns of z per chain.
  virtual Index classes() const { return 1; }
  // Computes out(r, chain) = -log p(y_r | z_r) without the terms that do not depend on z. It may overwrite z, and `out`
  // may be z if classes = 1.
  virtual void losses(const PanelView& z, const double* y, const PanelView& out, Scratch& scratch) const = 0;
  // Replaces z by ∂loss/∂z.
  virtual void residuals(const PanelView& z, const double* y, Scratch& scratch) const = 0;
  // Multiplies by the curvature W. If curvature_is_bound(), z = Xv becomes W z with W ⪰ ∂²loss/∂z² everywhere.
  // Otherwise z = [Xv | Xθ] and W = ∂²loss/∂z² at Xθ.
  virtual void bend(const PanelView& z) const = 0;
  virtual bool curvature_is_bound() const = 0;
  // Returns the largest eigenvalue of W for one row; z matters only if W is not a bound.
  virtual double steepest(double z) const = 0;

  // Writes the second derivative of each row's loss at z, of one chain, summed over its columns. Returns false if it is
  // the same everywhere.
  virtual bool weigh(const PanelView& /*z*/, std::span<double> /*out*/, Scratch&) const { return false; }
  // Adds to the loss of each row what losses() leaves out of -log p(y | z).
  virtual void add_constants(const double* /*y*/, std::span<double> /*losses*/) const {}
  // Classifiers override the first of these two, other models the second; the defaults throw std::logic_error.
  // Turns z of one chain into class probabilities, one column per class, in place or in scratch memory.
  virtual PanelView probabilities(const PanelView&, Scratch&) const {
    throw std::logic_error("a model that is no classifier has no class probabilities");
  }
  // Replaces the linear predictors in `mean` by means of the response, and writes its sds.
  virtual void respond(std::span<double> /*mean*/, std::span<double> /*sd*/) const {
    throw std::logic_error("a classifier has no response with a mean");
  }
};

// Returns all numbers of a panel that has no gaps.
inline std::span<double> whole(const PanelView& z) { return {z.data, static_cast<std::size_t>(z.rows * z.columns)}; }
// Subtracts y from every column: z(:, c) -= y.
inline void subtract_from_columns(const PanelView& z, const double* y) {
  for (Index c = 0; c < z.columns; ++c) {
    double* column = z.data + c * z.stride;
    for (Index r = 0; r < z.rows; ++r) column[r] -= y[r];
  }
}

std::unique_ptr<const Loss> make_logistic();

// Makes the potential of rows of x under a loss.
std::unique_ptr<Potential> make_glm(std::unique_ptr<const Loss> loss, const Observations& observations, double scale);
// Makes the potential of the linear model with θ = (β, log σ).
std::unique_ptr<Potential> make_linear_sigma(const Observations& observations, double scale);

}  // namespace pollen::model
