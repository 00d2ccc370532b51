// The coordinates in which the server's half of exact/joint.h moves: (φ, β) = Aψ up to a shift, with standard normal
// momenta in ψ. The warm-up makes A the root of the chains' covariance over a window, or in high dimensions of its
// diagonal. Not thread-safe.
#pragma once

#include <vector>

#include "adaptation.h"
#include "model/coordinates.h"

namespace pollen::exact {

class JointMetric {
 public:
  JointMetric(Index dimension, Index chains);

  void set(const Coordinates& map);
  void turn(ConstPanelView by_psi, PanelView out) const { map_.turn(by_psi, out); }                // A v
  void pull_back(ConstPanelView gradient, PanelView out) const { map_.pull_back(gradient, out); }  // Aᵀ g
  std::span<const double> variances() const { return variances_; }  // of (φ, β) in the last window; empty before
  // Takes the chains' positions into the window of this iteration, and A from a window that closes with it.
  void learn(const Schedule& windows, std::int64_t iteration, ConstPanelView position);
  void archive(Archive& archive);

 private:
  void close_window();

  bool dense_;
  Coordinates map_;
  std::vector<double> variances_;
  std::int64_t seen_ = 0;  // positions per chain in the present window
  Panel mean_;
  Panel squares_;  // Σ (x - m)(x - m)ᵀ over chains and window, or its diagonal
};

}  // namespace pollen::exact
