// Small symmetric matrices in plain loops: no library whose order of sums follows the machine's caches.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pollen/archive.h"
#include "pollen/types.h"

namespace pollen::reference {

// d × d by rows, or its diagonal alone where everything else is zero.
class Symmetric {
 public:
  Symmetric() = default;
  Symmetric(Index dimension, bool diagonal);

  bool diagonal() const { return values_.size() == size_; }
  std::int64_t words() const;  // numbers it takes to send it
  double& at(std::size_t i, std::size_t j) { return values_[diagonal() ? i : i * size_ + j]; }
  double at(std::size_t i, std::size_t j) const { return values_[diagonal() ? i : i * size_ + j]; }
  void add(const Symmetric& other);
  void multiply_add(std::span<const double> x, double weight, std::span<double> y) const;  // y += weight A x
  std::optional<Symmetric> inverse() const;  // empty where A is not positive definite
  void archive(Archive& archive) { archive.array(std::span(values_)); }

 private:
  std::size_t size_ = 0;
  std::vector<double> values_;
};

// Mean and covariance of positions as they come (Welford).
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
  Symmetric sum_;  // lower half
};

}  // namespace pollen::reference
