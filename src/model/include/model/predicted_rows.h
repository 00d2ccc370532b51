// Rows that are predicted at many θ: a network holds them once, in float32 on its device; other models look at them
// where they are. Copies nothing else: the rows outlive this. Thread-safe once made.
#pragma once

#include "network/network.h"
#include "pollen/model.h"

namespace pollen {

class PredictedRows {
 public:
  PredictedRows(const ModelSpec& model, const RowsView& x);
  ~PredictedRows();

  // These compute the functions of the same name in pollen/model.h for rows first .. first+count-1.
  void class_probabilities(std::span<const double> theta, Index first, Index count, std::span<double> out,
                           Scratch& scratch) const;

 private:
  const ModelSpec* model_;
  RowsView x_;
  std::unique_ptr<NetworkRows> held_;
};

}  // namespace pollen
