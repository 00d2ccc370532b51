// Access to rows of predictions and checks of their shapes, shared by the files that score predictions. All functions
// are pure; the checks throw std::invalid_argument.
#pragma once

#include <algorithm>
#include <stdexcept>

#include "pollen/scores.h"

namespace pollen::stats {

inline std::span<const double> row(const Predictions& p, std::size_t r) {
  const auto classes = static_cast<std::size_t>(p.classes);
  return p.probabilities.subspan(r * classes, classes);
}

// Returns the most probable class. Ties go to the lower class.
inline std::size_t predicted(std::span<const double> probabilities) {
  return static_cast<std::size_t>(std::max_element(probabilities.begin(), probabilities.end()) - probabilities.begin());
}

inline std::size_t label(double truth) { return static_cast<std::size_t>(truth); }

inline void check(const Predictions& p) {
  if (p.classes < 1 || static_cast<Index>(p.probabilities.size()) % p.classes != 0)
    throw std::invalid_argument("predictions: not a whole number of rows");
}

inline void check(const Predictions& p, std::span<const double> truth) {
  check(p);
  if (p.rows() != static_cast<Index>(truth.size())) throw std::invalid_argument("predictions: one truth a row");
  for (const double x : truth)
    if (!(x >= 0 && x < static_cast<double>(p.classes))) throw std::invalid_argument("predictions: truth is no class");
}

inline void check(const Predictions& p, const Predictions& q) {
  check(p);
  if (p.classes != q.classes || p.probabilities.size() != q.probabilities.size())
    throw std::invalid_argument("predictions: of different shape");
}

}  // namespace pollen::stats
