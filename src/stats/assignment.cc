#include "assignment.h"

#include <limits>
#include <utility>
#include <vector>

namespace pollen::stats {
namespace {

// Solves the assignment problem by shortest augmenting paths with dual prices (Jonker and Volgenant 1987; Crouse 2016).
// Rows are assigned one after another, each by Dijkstra's search over columns with reduced costs, in O(n³) in all. Row
// r of the problem is column r of the matrix, because columns are contiguous in memory.
class Assignment {
 public:
  explicit Assignment(const Eigen::MatrixXd& cost)
      : cost_(cost),
        n_(cost.rows()),
        row_price_(Eigen::VectorXd::Zero(n_)),
        column_price_(Eigen::VectorXd::Zero(n_)),
        row_of_(static_cast<std::size_t>(n_), kNone),
        column_of_(row_of_) {}

  double solve() {
    for (Eigen::Index row = 0; row < n_; ++row) insert(row);
    double total = 0;
    for (Eigen::Index j = 0; j < n_; ++j) total += cost_(j, row_of(j));
    return total;
  }

 private:
  static constexpr Eigen::Index kNone = -1;

  Eigen::Index& row_of(Eigen::Index column) { return row_of_[static_cast<std::size_t>(column)]; }

  void insert(Eigen::Index start) {
    std::vector<bool> done(static_cast<std::size_t>(n_), false);
    std::vector<Eigen::Index> from(static_cast<std::size_t>(n_), kNone), visited;
    Eigen::VectorXd distance = Eigen::VectorXd::Constant(n_, std::numeric_limits<double>::infinity());
    Eigen::Index row = start, sink = kNone;
    double reached = 0;
    while (sink == kNone) {
      Eigen::Index nearest = kNone;
      for (Eigen::Index j = 0; j < n_; ++j) {
        if (done[static_cast<std::size_t>(j)]) continue;
        const double through = reached + cost_(j, row) - row_price_(row) - column_price_(j);
        if (through < distance(j)) {
          distance(j) = through;
          from[static_cast<std::size_t>(j)] = row;
        }
        if (nearest == kNone || distance(j) < distance(nearest)) nearest = j;
      }
      reached = distance(nearest);
      done[static_cast<std::size_t>(nearest)] = true;
      visited.push_back(nearest);
      if (row_of(nearest) == kNone) sink = nearest;
      row = row_of(nearest);
    }
    reprice(start, visited, distance, reached);
    augment(start, sink, from);
  }

  void reprice(Eigen::Index start, const std::vector<Eigen::Index>& visited, const Eigen::VectorXd& distance,
               double reached) {
    row_price_(start) += reached;
    for (const Eigen::Index j : visited) {
      column_price_(j) -= reached - distance(j);
      if (row_of(j) != kNone) row_price_(row_of(j)) += reached - distance(j);
    }
  }

  void augment(Eigen::Index start, Eigen::Index sink, const std::vector<Eigen::Index>& from) {
    for (Eigen::Index column = sink, row = kNone; row != start;) {
      row = from[static_cast<std::size_t>(column)];
      row_of(column) = row;
      std::swap(column_of_[static_cast<std::size_t>(row)], column);
    }
  }

  const Eigen::MatrixXd& cost_;
  Eigen::Index n_;
  Eigen::VectorXd row_price_, column_price_;
  std::vector<Eigen::Index> row_of_, column_of_;
};

}  // namespace

double assignment_cost(const Eigen::MatrixXd& cost) {
  return Assignment(cost).solve() / static_cast<double>(cost.rows());
}

}  // namespace pollen::stats
