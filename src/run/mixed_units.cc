#include "mixed_units.h"

#include <algorithm>
#include <cmath>

#include "math/math.h"

namespace pollen {

MixedUnits::MixedUnits(const std::vector<Coordinate>& coordinates, const std::vector<std::string>& names,
                       const ColumnScaling& scaling) {
  if (scaling.mean.empty()) return;
  const std::size_t plain = names.size() - scaling.mean.size();  // the intercept is not standardised
  const auto d = coordinates.size();
  std::vector<double> factor(d, 1.0), shift(d, 0.0), origin(d, 0.0);
  bool moves = false;
  std::size_t intercept = d;
  for (std::size_t j = 0; j < d; ++j) {
    const Coordinate& one = coordinates[j];
    if (one.column == "intercept" && !one.log_scale) intercept = j;
    const auto at = static_cast<std::size_t>(std::ranges::find(names, one.column) - names.begin());
    if (at < plain || at >= names.size()) continue;
    const double s = scaling.sd[at - plain], m = scaling.mean[at - plain];
    if (one.log_scale) {
      shift[j] = -math::log(s);
      continue;
    }
    factor[j] = 1 / s;
    origin[j] = -m / s;
    moves = moves || m != 0;
  }
  if (moves && intercept == d) return;  // no coordinate can take up the move
  scale_ = std::move(factor);
  shift_ = std::move(shift);
  intercept_ = intercept;
  if (moves) origin_ = std::move(origin);
}

void MixedUnits::to_data(std::span<double> x) const {
  if (!changes()) return;
  const double gained = origin_.empty() ? 0 : math::dot(origin_, x);
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = scale_[j] * x[j] + shift_[j];
  if (!origin_.empty()) x[intercept_] += gained;
}

void MixedUnits::from_data(std::span<double> x) const {
  if (!changes()) return;
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = (x[j] - shift_[j]) / scale_[j];
  if (!origin_.empty()) x[intercept_] -= math::dot(origin_, x);  // the intercept's own entry of origin_ is 0
}

void MixedUnits::to_data(ConstPanelView from, PanelView to) const {
  copy_into(from, to);
  for (Index c = 0; c < to.columns; ++c) to_data(to.column(c));
}

namespace {

// Turns a covariance C into M C Mᵀ, where `linear` replaces x by M x.
template <class Linear>
void transform(PanelView covariance, const Linear& linear) {
  std::vector<double> row(static_cast<std::size_t>(covariance.columns));
  for (Index c = 0; c < covariance.columns; ++c) linear(covariance.column(c));
  for (Index r = 0; r < covariance.rows; ++r) {
    const auto at = static_cast<std::size_t>(r);
    for (std::size_t c = 0; c < row.size(); ++c) row[c] = covariance.column(static_cast<Index>(c))[at];
    linear(row);
    for (std::size_t c = 0; c < row.size(); ++c) covariance.column(static_cast<Index>(c))[at] = row[c];
  }
}

}  // namespace

void MixedUnits::covariance_to_data(PanelView covariance) const {
  if (!changes()) return;
  transform(covariance, [this](std::span<double> x) {
    const double gained = origin_.empty() ? 0 : math::dot(origin_, x);
    for (std::size_t j = 0; j < x.size(); ++j) x[j] *= scale_[j];
    if (!origin_.empty()) x[intercept_] += gained;
  });
}

}  // namespace pollen
