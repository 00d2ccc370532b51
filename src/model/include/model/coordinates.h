// A fixed linear change of variables θ = θ̂ + Aψ. Samplers that run in ψ meet a potential whose curvature is near the
// same in all directions, so that one step size suits every coordinate, whatever the units of the columns and however
// strongly they are correlated. A does not depend on ψ, so the law of θ is the posterior that it was before.
//
//   const auto coordinates = std::make_shared<const Coordinates>(mode, hessian, true);
//   const auto in_psi = in_coordinates(potential, coordinates);
//
// Coordinates do not change after construction, so any thread may use them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "pollen/archive.h"
#include "pollen/model.h"

namespace pollen {

class Coordinates {
 public:
  Coordinates() = default;
  // `full`: A = L⁻ᵀ, where LLᵀ is the Hessian; otherwise A is diagonal, with the inverse roots of the Hessian's
  // diagonal; for that the diagonal is enough, as d × 1. The Hessian must be symmetric with a positive diagonal. A
  // direction in which it is flat or bends down, after the coordinates were brought to the same scale, is treated as if
  // it had a curvature of kLeast.
  Coordinates(std::span<const double> centre, ConstPanelView hessian, bool full);
  // Takes θ̂ and A as they are sent to clients: the upper half of A, column by column, or its diagonal as d × 1.
  Coordinates(std::span<const double> centre, ConstPanelView sent);
  static constexpr double kLeast = 1e-10;  // relative to the diagonal
  // Whole Hessians are asked for up to so many parameters: 1,000 columns with an intercept, log σ and some to spare.
  static constexpr Index kMostFull = 1024;

  Index dimension() const { return static_cast<Index>(centre_.size()); }
  const std::vector<double>& centre() const { return centre_; }
  // Whether A can be inverted: its diagonal is above 0, and all numbers are finite.
  bool usable() const;
  bool operator==(const Coordinates&) const = default;
  // The coordinates whose curvature had to be raised: they are nearly determined by the coordinates before them.
  const std::vector<std::size_t>& raised() const { return raised_; }

  void to_theta(ConstPanelView psi, PanelView theta) const;                 // θ̂ + Aψ
  void to_psi(std::span<const double> theta, std::span<double> psi) const;  // A⁻¹(θ - θ̂)
  void turn(ConstPanelView v, PanelView out) const;                         // A v, for directions
  void pull_back(ConstPanelView gradient, PanelView out) const;  // Aᵀ g: turns gradients in θ into gradients in ψ
  Prior pull_back(const Prior& prior) const;                     // the prior as a function of ψ
  // Lets `change` change the lower half of a Hessian, column by column, in θ, where it is given in ψ.
  void change_in_theta(std::span<double> half, const std::function<void(std::span<double>)>& change) const;
  double log_determinant() const;           // of A
  Panel block(Index size) const;            // the upper left block of A
  double scale_of(Index coordinate) const;  // the number on the diagonal of A
  // Whether the first `size` coordinates of θ depend on the first `size` ones of ψ alone.
  bool keeps_apart(Index size) const;
  Panel sent() const;                               // A as it is sent to clients
  void archive(Archive& archive, Index dimension);  // reading checks the sizes

 private:
  Prior pull_back_terms(Prior prior) const;
  RowsView matrix() const;
  std::size_t place(Index row, Index column) const {
    return static_cast<std::size_t>(row * padded(dimension()) + column);
  }

  std::vector<double> centre_;
  std::vector<double> diagonal_;  // of A, if it is diagonal
  AlignedVector<double> matrix_;  // A otherwise, an upper triangular matrix, row by row
  std::vector<std::size_t> raised_;
};

// Replaces the lower triangle of a matrix with diagonal 1 by its Cholesky factor L. Pivots below Coordinates::kLeast
// are raised to it, and their places are returned.
std::vector<std::size_t> replace_by_root(Panel& matrix);

// Returns the potential as a function of ψ. As long as `coordinates` is null, ψ is θ. The reference must outlive the
// potential.
std::unique_ptr<const Potential> in_coordinates(std::shared_ptr<const Potential> potential,
                                                const std::shared_ptr<const Coordinates>& coordinates);
std::unique_ptr<const Potential> in_coordinates(std::shared_ptr<const Potential> potential,
                                                std::shared_ptr<const Coordinates>&& coordinates) = delete;

// Returns what a potential of in_coordinates() is for a client that evaluates it in every round: the same function,
// whose rows are multiplied by A once, when it is first evaluated, instead of positions and gradients each time. It
// takes as much memory as the rows. Rows of a mapped file, of a model whose classes share them, or that would take too
// long stay as they are. Null for any other potential. The potential must outlive the result, which is for one thread
// at a time.
std::unique_ptr<const Potential> with_multiplied_rows(const Potential& potential);

}  // namespace pollen
