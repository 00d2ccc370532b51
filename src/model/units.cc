#include "model/units.h"

#include <algorithm>

namespace pollen {

Units::Units(const ModelSpec& model, bool intercept, const ColumnScaling& scaling)
    : features_(model.features),
      blocks_((model.dimension() - model.family->log_scales(model)) / std::max<Index>(1, model.features)),
      first_(intercept ? 1 : 0),
      mean_(scaling.mean),
      sd_(scaling.sd) {
  const auto columns = static_cast<std::size_t>(std::max<Index>(0, features_ - first_));
  mean_.resize(columns, 0.0);
  sd_.resize(columns, 1.0);
}

void Units::to_data(PanelView theta) const {
  for (Index c = 0; c < theta.columns; ++c)
    for (Index block = 0; block < blocks_; ++block) {
      double* const beta = theta.column(c).data() + block * features_;
      double shift = 0;
      for (std::size_t j = 0; j < sd_.size(); ++j) {
        double& slope = beta[static_cast<std::size_t>(first_) + j];
        slope /= sd_[j];
        shift += slope * mean_[j];
      }
      if (first_ == 1) beta[0] -= shift;
    }
}

void Units::to_internal(std::span<double> theta) const {
  for (Index block = 0; block < blocks_; ++block) {
    double* const beta = theta.data() + block * features_;
    double shift = 0;
    for (std::size_t j = 0; j < sd_.size(); ++j) {
      double& slope = beta[static_cast<std::size_t>(first_) + j];
      shift += slope * mean_[j];
      slope *= sd_[j];
    }
    if (first_ == 1) beta[0] += shift;
  }
}

Panel internal_coefficients(const ModelSpec& model, ConstPanelView reported) {
  Panel theta = copy_of(reported);
  for (Index c = 0; model.units != nullptr && c < theta.columns(); ++c) model.units->to_internal(theta.column(c));
  return theta;
}

// An intercept where the columns are at `centre` is β_0 + Σ_j (centre_j - mean_j)/sd_j β_j in internal coefficients.
Prior Units::internal(const Prior& of_data, std::span<const double> centre) const {
  if (of_data.is_flat()) return of_data;
  Prior prior = of_data;
  if (prior.mean.empty()) prior.mean.assign(prior.precision.size(), 0.0);
  for (Index block = 0; block < blocks_; ++block) {
    const auto start = static_cast<std::size_t>(block * features_), slopes = start + static_cast<std::size_t>(first_);
    Prior::SumTerm intercept{block * features_, {1.0}, prior.precision[start], prior.mean[start]};
    bool apart = false;
    for (std::size_t j = 0; j < sd_.size(); ++j) {
      prior.precision[slopes + j] /= sd_[j] * sd_[j];
      prior.mean[slopes + j] *= sd_[j];
      intercept.weight.push_back(((centre.empty() ? 0.0 : centre[j]) - mean_[j]) / sd_[j]);
      apart = apart || intercept.weight.back() != 0;
    }
    if (first_ == 0 || !apart) continue;
    prior.precision[start] = prior.mean[start] = 0;
    prior.sums.push_back(std::move(intercept));
  }
  return prior;
}

}  // namespace pollen
