// The units in which coefficients are reported. Samplers work on columns that were centred and scaled; users read
// coefficients per unit of the column, and an intercept where all columns are 0. The two differ by a fixed linear map.
//
//   const Units units(model, data.intercept, data.scaling);
//   units.to_data(theta);       // turns internal coefficients into those of the data's units, in place
//   units.to_internal(theta);   // and back
//
// Scales such as log σ have no columns and stay as they are. Units do not change after construction, so any thread may
// use them.
#pragma once

#include <span>
#include <vector>

#include "pollen/data.h"
#include "pollen/model.h"

namespace pollen {

class Units {
 public:
  Units(const ModelSpec& model, bool intercept, const ColumnScaling& scaling);  // no means and scales: 0 and 1

  void to_data(PanelView theta) const;
  void to_internal(std::span<double> theta) const;
  // Returns a prior that is N(mean_j, sd_j²) on every coefficient in the data's units, as a prior of the internal
  // coefficients. An intercept's law is about its value where the columns are at `centre`, which has one number per
  // column besides the intercept, or none for 0. Precisions of 0 stand for a flat law.
  Prior internal(const Prior& of_data, std::span<const double> centre) const;

 private:
  Index features_, blocks_, first_;  // first_: 1 behind an intercept, else 0
  std::vector<double> mean_, sd_;    // of the columns besides the intercept
};

// Returns the coefficients that samplers work with, given those of draws or tables, one column per draw.
Panel internal_coefficients(const ModelSpec& model, ConstPanelView reported);

}  // namespace pollen
