#include "shrinkage.h"

#include <algorithm>

#include "math/math.h"

namespace pollen::reference {

ShrinkageSolver::ShrinkageSolver(Index dimension, Index samples, double shrinkage)
    : shrinkage_(shrinkage),
      mean_(static_cast<std::size_t>(dimension)),
      deviation_(mean_),
      image_(dimension, samples),
      factor_(static_cast<std::size_t>(samples)),
      projection_(factor_) {}

void ShrinkageSolver::clear() {
  count_ = 0;
  std::ranges::fill(mean_, 0.0);
}

void ShrinkageSolver::add(std::span<const double> sample) {
  const auto image = image_.column(count_);
  math::subtract(sample, mean_, deviation_);
  std::ranges::copy(deviation_, image.begin());
  apply_inverse(image);
  const auto number = static_cast<double>(count_ + 1);
  const double rate = shrinkage_ * (number - 1) / number;
  factor_[static_cast<std::size_t>(count_)] = rate / (1 + rate * math::dot(deviation_, image));
  math::axpy(1 / number, deviation_, mean_);
  ++count_;
}

// Applies the Sherman-Morrison formula once per sample: (A + βuuᵀ)⁻¹v = A⁻¹v - β (uᵀA⁻¹v)/(1 + βuᵀA⁻¹u) A⁻¹u. All
// factors are symmetric, so uᵀA⁻¹v = (A⁻¹u)ᵀv for the original v, and the corrections do not depend on one another.
void ShrinkageSolver::apply_inverse(std::span<double> v) {
  if (count_ < 2) return;
  for (Index m = 1; m < count_; ++m) projection_[static_cast<std::size_t>(m)] = math::dot(image_.column(m), v);
  for (Index m = 1; m < count_; ++m) {
    const auto i = static_cast<std::size_t>(m);
    math::axpy(-factor_[i] * projection_[i], image_.column(m), v);
  }
}

void ShrinkageSolver::solve(std::span<const double> x, std::span<double> out) {
  math::subtract(x, mean_, out);
  apply_inverse(out);
  math::scale(1 + static_cast<double>(count_ - 1) * shrinkage_, out);
}

}  // namespace pollen::reference
