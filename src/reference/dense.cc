#include "dense.h"

#include <algorithm>
#include <cmath>

#include "math/math.h"

namespace pollen::reference {

namespace {

// Cholesky factorisation A = L Lᵀ, in place in the lower triangle. Returns false if A is not positive definite.
bool factor(std::vector<double>& a, std::size_t d) {
  for (std::size_t j = 0; j < d; ++j) {
    double pivot = a[j * d + j];
    for (std::size_t k = 0; k < j; ++k) pivot -= a[j * d + k] * a[j * d + k];
    if (!(pivot > 0) || !std::isfinite(pivot)) return false;
    a[j * d + j] = std::sqrt(pivot);
    for (std::size_t i = j + 1; i < d; ++i) {
      double sum = a[i * d + j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i * d + k] * a[j * d + k];
      a[i * d + j] = sum / a[j * d + j];
    }
  }
  return true;
}

// Solves L Lᵀ y = x in place: x ← (L Lᵀ)⁻¹ x.
void solve(const std::vector<double>& lower, std::span<double> x) {
  const std::size_t d = x.size();
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= lower[i * d + k] * x[k];
    x[i] /= lower[i * d + i];
  }
  for (std::size_t i = d; i-- > 0;) {
    for (std::size_t k = i + 1; k < d; ++k) x[i] -= lower[k * d + i] * x[k];
    x[i] /= lower[i * d + i];
  }
}

}  // namespace

Symmetric::Symmetric(Index dimension, bool diagonal)
    : size_(static_cast<std::size_t>(dimension)), values_(diagonal ? size_ : size_ * size_, 0.0) {}

std::int64_t Symmetric::words() const {
  const auto d = static_cast<std::int64_t>(size_);
  return diagonal() ? d : d * (d + 1) / 2;
}

void Symmetric::add(const Symmetric& other) { math::add(other.values_, values_); }

void Symmetric::multiply_add(std::span<const double> x, double weight, std::span<double> y) const {
  for (std::size_t i = 0; i < size_; ++i)
    y[i] += weight * (diagonal() ? values_[i] * x[i] : math::dot(std::span(values_).subspan(i * size_, size_), x));
}

std::optional<Symmetric> Symmetric::inverse() const {
  Symmetric result(static_cast<Index>(size_), diagonal());
  if (diagonal()) {
    for (std::size_t i = 0; i < size_; ++i) {
      if (!(values_[i] > 0) || !std::isfinite(values_[i])) return {};
      result.values_[i] = 1 / values_[i];
    }
    return result;
  }
  std::vector<double> lower = values_;
  if (!factor(lower, size_)) return {};
  for (std::size_t i = 0; i < size_; ++i) {
    result.values_[i * size_ + i] = 1;
    solve(lower, std::span(result.values_).subspan(i * size_, size_));
  }
  return result;
}

RunningCovariance::RunningCovariance(Index dimension, bool diagonal)
    : mean_(static_cast<std::size_t>(dimension)), before_(mean_), sum_(dimension, diagonal) {}

void RunningCovariance::add(std::span<const double> x) {
  ++count_;
  math::subtract(x, mean_, before_);
  math::axpy(1 / static_cast<double>(count_), before_, mean_);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double after = x[i] - mean_[i];
    for (std::size_t j = sum_.diagonal() ? i : 0; j <= i; ++j) sum_.at(i, j) += before_[j] * after;
  }
}

Symmetric RunningCovariance::covariance() const {
  Symmetric result = sum_;
  const double rate = 1 / std::max(1.0, static_cast<double>(count_ - 1));
  for (std::size_t i = 0; i < mean_.size(); ++i)
    for (std::size_t j = sum_.diagonal() ? i : 0; j <= i; ++j) result.at(i, j) = result.at(j, i) = rate * sum_.at(i, j);
  return result;
}

void RunningCovariance::archive(Archive& archive) {
  archive.field(count_);
  archive.array(std::span(mean_));
  sum_.archive(archive);
}

}  // namespace pollen::reference
