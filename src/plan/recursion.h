// x_{k+1} ≤ M x_k + c in every coordinate, M and c non-negative: then x_k is at most the k-th iterate of that map, and
// in the long run at most its fixed point, wherever M's spectral radius is below one. FALD's proofs end in such
// systems; solving them exactly replaces the closed forms of its Lemmas 10 to 12.
#pragma once

#include <cstddef>
#include <vector>

namespace pollen::plan {

struct Recursion {
  explicit Recursion(std::size_t size) : entries(size * size), constant(size), start(size) {}

  double& matrix(std::size_t row, std::size_t column) { return entries[row * constant.size() + column]; }
  double rate() const;                    // the spectral radius
  double limit() const;                   // of coordinate 0; infinite where the rate is not below 1
  double after(double iterations) const;  // coordinate 0

  std::vector<double> entries;  // of M, row after row
  std::vector<double> constant, start;
};

}  // namespace pollen::plan
