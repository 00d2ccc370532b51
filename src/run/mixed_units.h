// Turns the coefficients of a mixed-effects model, whose columns were standardised, into the units of the data. With a
// column x = (X - m)/s the model has the coefficients
//
//   φ_j/s_j,  μ_j/s_j,  log σ_z,j - log s_j,  and the intercept where all columns are 0, less Σ m_j φ_j/s_j.
//
// Such a map is affine, so it also transforms a covariance. Const calls are thread-safe.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "pollen/data.h"
#include "pollen/types.h"

namespace pollen {

class MixedUnits {
 public:
  // How a coordinate follows its column.
  struct Coordinate {
    std::string column;      // empty for a coordinate that no column scales
    bool log_scale = false;  // the logarithm of a coefficient's standard deviation
  };

  MixedUnits() = default;  // changes nothing
  // `names` are the columns' names, of which the last scaling.mean.size() were standardised.
  MixedUnits(const std::vector<Coordinate>& coordinates, const std::vector<std::string>& names,
             const ColumnScaling& scaling);

  bool changes() const { return !scale_.empty(); }
  void to_data(std::span<double> x) const;
  void from_data(std::span<double> x) const;
  void to_data(ConstPanelView from, PanelView to) const;
  // Turns a covariance C into M C Mᵀ, where M is the linear part of the map.
  void covariance_to_data(PanelView covariance) const;
  // The factor of a coordinate.
  double scale(std::size_t j) const { return changes() ? scale_[j] : 1; }

 private:
  std::vector<double> scale_, shift_;  // one per coordinate: x_j ← scale_j x_j + shift_j
  std::size_t intercept_ = 0;          // the coordinate of the intercept, if origin_ is not empty
  std::vector<double> origin_;         // what the intercept gains per unit of each coordinate
};

}  // namespace pollen
