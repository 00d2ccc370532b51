// The finite random choices of a round, written out: subsets, coordinates a compressor keeps, who takes part
// (algorithms.md sections 1 to 3). Throws std::invalid_argument where there are more than kMostOutcomes.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "stats/exact_law.h"

namespace pollen::stats {

inline constexpr double kMostOutcomes = 2e5;

// Throws std::invalid_argument where `count` outcomes are too many to write out.
void check_enumerable(double count, const char* what);

// All k-subsets of 0..n-1, in lexicographic order.
std::vector<std::vector<int>> subsets(int n, int k);

// The equally likely diagonals of a compressor seen as a random diagonal matrix.
std::vector<Eigen::VectorXd> diagonals(GradientLawOptions::Compressor compressor, Eigen::Index d, int k);

// Who takes part, by weight: 0 is absent.
struct Attendance {
  double probability = 1;
  Eigen::VectorXd weight;  // one a client
};
std::vector<Attendance> attendances(const GradientLawOptions& options, const Eigen::VectorXd& sizes);

}  // namespace pollen::stats
