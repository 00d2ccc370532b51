// Enumerates the finite random choices of a round: minibatches, the coordinates that a compressor keeps, and who takes
// part (docs/algorithms.md sections 1 to 3). All functions are pure and throw std::invalid_argument if there would be
// more than kMostOutcomes outcomes.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "stats/exact_law.h"

namespace pollen::stats {

inline constexpr double kMostOutcomes = 2e5;

// Throws std::invalid_argument if `count` outcomes are too many to enumerate.
void check_enumerable(double count, const char* what);

// Returns all k-subsets of 0..n-1 in lexicographic order.
std::vector<std::vector<int>> subsets(int n, int k);

// Returns the equally likely diagonals of a compressor, seen as a random diagonal matrix.
std::vector<Eigen::VectorXd> diagonals(GradientLawOptions::Compressor compressor, Eigen::Index d, int k);

inline const std::vector<QuadraticTerm>& terms_of(const QuadraticProblem& problem, Eigen::Index client) {
  return problem.clients[static_cast<std::size_t>(client)].terms;
}
// Returns N_i of all clients.
Eigen::VectorXd client_sizes(const QuadraticProblem& problem);

// One possible set of participants with its probability. A weight of 0 means that the client is absent.
struct Attendance {
  double probability = 1;
  Eigen::VectorXd weight;  // one per client
};
std::vector<Attendance> attendances(const GradientLawOptions& options, const Eigen::VectorXd& sizes);

}  // namespace pollen::stats
