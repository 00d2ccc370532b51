#include "joint_metric.h"

#include <algorithm>
#include <cmath>

namespace pollen::exact {

namespace {

constexpr Index kMostDense = 200;

Coordinates scaled_by(const std::vector<double>& sd) {
  const auto d = std::ssize(sd);
  return {std::vector<double>(sd.size()), ConstPanelView{sd.data(), d, 1, d}};
}

// The upper triangular A with AAᵀ = C, where C has the sds `sd` and the correlations in the lower half of
// `correlation`. It is Cholesky's root from the last coordinate backwards.
Coordinates root_of(const std::vector<double>& sd, const Panel& correlation) {
  const Index d = correlation.rows();
  Panel turned(d, d);
  for (Index k = 0; k < d; ++k)
    for (Index i = k; i < d; ++i)
      turned.column(k)[static_cast<std::size_t>(i)] =
          correlation.column(d - 1 - i)[static_cast<std::size_t>(d - 1 - k)];
  replace_by_root(turned);
  std::vector<double> upper;  // column by column
  for (Index k = 0; k < d; ++k)
    for (Index j = 0; j <= k; ++j)
      upper.push_back(sd[static_cast<std::size_t>(j)] * turned.column(d - 1 - k)[static_cast<std::size_t>(d - 1 - j)]);
  const auto size = std::ssize(upper);
  return {std::vector<double>(sd.size()), ConstPanelView{upper.data(), size, 1, size}};
}

}  // namespace

JointMetric::JointMetric(Index dimension, Index chains)
    : dense_(dimension > 1 && dimension <= kMostDense),
      map_(scaled_by(std::vector<double>(static_cast<std::size_t>(dimension), 1.0))),
      mean_(dimension, chains),
      squares_(dimension, dense_ ? dimension : 1) {}

void JointMetric::set(const Coordinates& map) { map_ = map; }

void JointMetric::learn(const Schedule& windows, std::int64_t iteration, ConstPanelView position) {
  if (!windows.has(iteration)) return;
  ++seen_;
  const auto d = static_cast<std::size_t>(mean_.rows());
  std::vector<double> before(d), after(d);
  for (Index c = 0; c < position.columns; ++c) {
    const auto x = position.column(c);
    const auto mean = mean_.column(c);
    for (std::size_t j = 0; j < d; ++j) {
      before[j] = x[j] - mean[j];
      mean[j] += before[j] / static_cast<double>(seen_);
      after[j] = x[j] - mean[j];
    }
    for (std::size_t j = 0; j < d; ++j) {
      if (!dense_) squares_.column(0)[j] += before[j] * after[j];
      for (std::size_t i = j; dense_ && i < d; ++i) squares_.column(static_cast<Index>(j))[i] += before[i] * after[j];
    }
  }
  if (windows.closes(iteration)) close_window();
}

// Correlations are shrunk by what so few positions cannot tell, and a variance keeps a hundredth of an observation of
// the one before, so that a window in which nothing moved leaves it positive.
void JointMetric::close_window() {
  constexpr double kKept = 0.01;
  const Index d = mean_.rows();
  const auto n = static_cast<double>((seen_ - 1) * mean_.columns());
  std::vector<double> sd, square;
  variances_.clear();
  for (Index j = 0; j < d; ++j) {
    const double before = map_.scale_of(j);
    square.push_back(squares_.column(dense_ ? j : 0)[static_cast<std::size_t>(j)]);
    variances_.push_back((square.back() + kKept * before * before) / (n + kKept));
    sd.push_back(std::sqrt(variances_.back()));
  }
  if (dense_) {
    const double share = n / (n + 5 + static_cast<double>(d));
    Panel correlation(d, d);
    for (Index k = 0; k < d; ++k)
      for (Index i = k; i < d; ++i) {
        const auto row = static_cast<std::size_t>(i), column = static_cast<std::size_t>(k);
        const double scale = std::sqrt(square[row] * square[column]);
        correlation.column(k)[row] = i == k ? 1 : scale > 0 ? share * squares_.column(k)[row] / scale : 0;
      }
    map_ = root_of(sd, correlation);
  } else {
    map_ = scaled_by(sd);
  }
  seen_ = 0;
  fill(mean_, 0.0);
  fill(squares_, 0.0);
}

void JointMetric::archive(Archive& archive) {
  map_.archive(archive, mean_.rows());
  archive.array_or_none(variances_, static_cast<std::uint64_t>(mean_.rows()));
  archive.field(seen_);
  archive.array(mean_.flat());
  archive.array(squares_.flat());
}

}  // namespace pollen::exact
