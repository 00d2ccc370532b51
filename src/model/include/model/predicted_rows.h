// Rows that are predicted at many θ. A network keeps one copy in float32 on its device; other models use the rows in
// place. The rows must outlive this object. Thread-safe once made.
#pragma once

#include "pollen/model.h"

namespace pollen {

class PredictedRows {
 public:
  PredictedRows(const ModelSpec& model, const math::RowsView& x);
  ~PredictedRows();

  // These compute the functions of the same name in pollen/model.h for rows first .. first+count-1.
  void class_probabilities(std::span<const double> theta, Index first, Index count, std::span<double> out,
                           Scratch& scratch) const;

 private:
  const ModelSpec* model_;
  math::RowsView x_;
  std::unique_ptr<NetworkRows> held_;
};

}  // namespace pollen
