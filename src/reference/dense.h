// Small symmetric matrices and running covariances. They use plain loops because a linear algebra library may order its
// sums by the cache sizes of the machine, and draws must not depend on those.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pollen/archive.h"
#include "pollen/types.h"

namespace pollen::reference {

// A symmetric d × d matrix stored by rows, or only its diagonal if all other entries are zero.
class Symmetric {
 public:
  Symmetric() = default;
  Symmetric(Index dimension, bool diagonal);

  bool diagonal() const { return values_.size() == size_; }
  std::int64_t words() const;  // how many numbers must be sent to transmit it
  double& at(std::size_t i, std::size_t j) { return values_[diagonal() ? i : i * size_ + j]; }
  double at(std::size_t i, std::size_t j) const { return values_[diagonal() ? i : i * size_ + j]; }
  void add(const Symmetric& other);
  void multiply_add(std::span<const double> x, double weight, std::span<double> y) const;  // y += weight A x
  std::optional<Symmetric> inverse() const;  // empty if A is not positive definite
  void archive(Archive& archive) { archive.array(std::span(values_)); }

 private:
  std::size_t size_ = 0;
  std::vector<double> values_;
};

// Accumulates the mean and covariance of positions one at a time (Welford's method).
class RunningCovariance {
 public:
  RunningCovariance(Index dimension, bool diagonal);
  void add(std::span<const double> x);
  std::int64_t count() const { return count_; }
  std::span<const double> mean() const { return mean_; }
  Symmetric covariance() const;
  void archive(Archive& archive);

 private:
  std::int64_t count_ = 0;
  std::vector<double> mean_, before_;
  Symmetric sum_;  // lower triangle of the sum of products
};

}  // namespace pollen::reference
