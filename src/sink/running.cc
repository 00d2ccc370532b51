#include "sink/running.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "numbers.h"

namespace pollen::sink {

namespace {

constexpr std::size_t kOrigin = 0, kSum = 1, kSquares = 2, kOpen = 3, kFirst = 4;
constexpr std::int64_t kLeastBatch = 8;  // shorter batches tell more about neighbouring draws than about the chain

}  // namespace

RunningEss::RunningEss(Index dimension, Index chains) : chains_(chains) {
  const auto some = std::min<Index>(dimension, static_cast<Index>(kFollowed));
  for (Index k = 0; k < some; ++k) followed_.push_back(k * dimension / some);
  store_.resize(followed_.size() * static_cast<std::size_t>(chains) * (kFirst + kMostBatches));
}

std::size_t RunningEss::at(std::size_t coordinate, Index chain) const {
  return (coordinate * static_cast<std::size_t>(chains_) + static_cast<std::size_t>(chain)) * (kFirst + kMostBatches);
}

void RunningEss::add(ConstPanelView position) {
  const bool full = open_ + 1 == batch_;
  for (std::size_t k = 0; k < followed_.size(); ++k)
    for (Index c = 0; c < chains_; ++c) {
      double* s = store_.data() + at(k, c);
      const double x = position.column(c)[static_cast<std::size_t>(followed_[k])];
      if (count_ == 0) s[kOrigin] = x;
      const double from = x - s[kOrigin];
      s[kSum] += from;
      s[kSquares] += from * from;
      s[kOpen] += from;
      if (full) s[kFirst + batches_] = s[kOpen], s[kOpen] = 0;
    }
  ++count_;
  open_ = full ? 0 : open_ + 1;
  if (full && ++batches_ == kMostBatches) merge_batches();
}

void RunningEss::merge_batches() {
  for (std::size_t k = 0; k < followed_.size(); ++k)
    for (Index c = 0; c < chains_; ++c) {
      double* sums = store_.data() + at(k, c) + kFirst;
      for (std::size_t i = 0; i < kMostBatches / 2; ++i) sums[i] = sums[2 * i] + sums[2 * i + 1];
    }
  batches_ = kMostBatches / 2;
  batch_ *= 2;
}

double RunningEss::of(std::size_t coordinate) const {
  const auto n = static_cast<double>(count_), b = static_cast<double>(batch_), m = static_cast<double>(batches_);
  double draws = 0, means = 0, neighbours = 0;  // sums of variances and covariances over chains
  for (Index c = 0; c < chains_; ++c) {
    const double* s = store_.data() + at(coordinate, c);
    draws += (s[kSquares] - s[kSum] * s[kSum] / n) / (n - 1);
    double centre = 0;
    for (std::size_t i = 0; i < batches_; ++i) centre += s[kFirst + i] / b / m;
    for (std::size_t i = 0; i < batches_; ++i) {
      const double here = s[kFirst + i] / b - centre;
      means += here * here / (m - 1);
      if (i > 0) neighbours += here * (s[kFirst + i - 1] / b - centre) / (m - 1);
    }
  }
  const double correlation = std::clamp(neighbours / means, 0.0, 0.99);
  const double all = n * static_cast<double>(chains_);
  return std::min(all, all * draws / (b * means) * (1 - correlation) / (1 + correlation));
}

double RunningEss::least() const {
  if (batch_ < kLeastBatch) return kUnknown;
  double least = kUnknown;
  for (std::size_t k = 0; k < followed_.size(); ++k) {
    const double ess = of(k);
    if (std::isfinite(ess) && !(ess >= least)) least = ess;
  }
  return least;
}

void RunningRhat::add(ConstPanelView position) {
  for (Index c = 0; c < position.columns; ++c) {
    const double* x = position.column(c).data();
    double* origin = origin_.column(c).data();
    double* sum = sum_.column(c).data();
    double* squares = squares_.column(c).data();
    if (count_ == 0) std::memcpy(origin, x, static_cast<std::size_t>(position.rows) * sizeof(double));
    for (Index j = 0; j < position.rows; ++j) {
      const double from = x[j] - origin[j];
      sum[j] += from;
      squares[j] += from * from;
    }
  }
  count_ += 1;
}

double RunningRhat::worst() const {
  const Index chains = sum_.columns();
  if (chains < 2 || count_ < 4) return kUnknown;
  double worst = kUnknown;
  const auto many = static_cast<double>(chains);
  for (Index j = 0; j < sum_.rows(); ++j) {
    const auto row = static_cast<std::size_t>(j);
    double within = 0, mean = 0, between = 0;
    const auto mean_of = [&](Index c) { return origin_.column(c)[row] + sum_.column(c)[row] / count_; };
    for (Index c = 0; c < chains; ++c) {
      const double sum = sum_.column(c)[row];
      within += (squares_.column(c)[row] - sum * sum / count_) / (count_ - 1) / many;
      mean += mean_of(c) / many;
    }
    for (Index c = 0; c < chains; ++c) between += (mean_of(c) - mean) * (mean_of(c) - mean) / (many - 1);
    const double rhat = std::sqrt((count_ - 1) / count_ + between / within);
    if (std::isfinite(rhat) && !(rhat <= worst)) worst = rhat;
  }
  return worst;
}

}  // namespace pollen::sink
