// The scale of a linear model at which the normal approximation is made. The joint mode of (β, log σ) underestimates σ
// when there are many coefficients, and with as many coefficients as rows it is at σ = 0. So the mode of log σ's own
// posterior is taken, in which β was integrated out, with the best β at that σ.
//
//   MarginalScale scale(prior, at, hessian);         // at any position
//   scale.look(best, slope, slope_above);            // at the best β for the σ at hand
//   const double log_sigma = scale.best();           // with another σ, go on there until it stays
#pragma once

#include <Eigen/Core>
#include <vector>

#include "model/coordinates.h"
#include "pollen/model.h"

namespace pollen {

// U = ½ e^(-2λ) RSS(β) + N λ + U_0(β, λ), where λ = log σ is the last coordinate and U_0 is a normal prior in which λ
// is independent of β.
class MarginalScale {
 public:
  // `hessian` is that of U at a position; what it says about λ is not used.
  MarginalScale(const Prior& prior, const std::vector<double>& at, const Panel& hessian);

  // Takes a position and the derivative of the likelihood's part of U by λ there and at λ + 1. What follows about λ
  // holds if β is the best one for this λ.
  void look(const std::vector<double>& position, double slope, double slope_above);
  // Returns the λ of highest marginal posterior within kBelow below the λ of look() and kAbove above it.
  double best() const;
  double squares() const;                                    // RSS of the last look
  bool singular() const { return !root_.raised().empty(); }  // whether some columns determine others
  static constexpr double kBelow = 3, kAbove = 10;
  // The Hessian of β at λ, where λ stands by itself with curvature 1.
  Panel of_coefficients(double lambda) const;
  // The same with the curvature of the marginal posterior for λ.
  Panel hessian(double lambda) const;

 private:
  double value(double lambda) const;

  const Prior& prior_;
  Index size_;                    // coefficients
  double from_;                   // λ of the Hessian
  Panel data_;                    // the likelihood's part of the Hessian of β at `from_`
  std::vector<double> held_;      // the prior's share of that Hessian, along directions in which both are diagonal
  Coordinates root_;              // A with AᵀHA = 1, of all coordinates
  Eigen::MatrixXd directions_;    // orthonormal, in the coordinates of A
  double at_ = 0;                 // the λ of look()
  double misfit_ = 0, rows_ = 0;  // e^(-2λ) RSS there, and N
  double slope_ = 0, bend_ = 0;   // of the prior by λ there
  std::vector<double> pull_;      // the prior's gradient by β there, along the directions
};

}  // namespace pollen
