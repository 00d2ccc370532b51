// The Wasserstein distance of two samples: chooses the method and does what all methods share. Each method returns W2²,
// exact or approximate, of two centred, equally weighted samples with one point per column.
#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "math/math.h"
#include "pollen/scores.h"
#include "ranks.h"

namespace pollen::stats {
namespace {

using Points = Eigen::MatrixXd;

constexpr Index kExact = 512, kSinkhorn = 2000;

Points points(ConstPanelView view) {
  return Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>(view.data, view.rows, view.columns,
                                                                    Eigen::OuterStride<>(view.stride));
}

// Subtracts and returns the mean. W2² is exactly the squared distance of the means plus W2² of the centred samples.
Eigen::VectorXd take_mean(Points& x) {
  const Eigen::VectorXd mean = x.rowwise().mean();
  x.colwise() -= mean;
  return mean;
}

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

// Returns the mean cost of the best permutation; `cost` must be square.
double assignment_cost(const Eigen::MatrixXd& cost) {
  return Assignment(cost).solve() / static_cast<double>(cost.rows());
}

constexpr double kSharpness = 0.005;  // the regularisation, relative to the samples' own mean squared distance
constexpr int kPlain = 40;            // iterations at the final regularisation, after annealing

// One half of Sinkhorn's iteration: out_j = -ε log mean_i exp((potential_i - cost(i, j)) / ε).
Eigen::VectorXd soft_minimum(const Eigen::MatrixXd& cost, const Eigen::VectorXd& potential, double epsilon) {
  Eigen::VectorXd out(cost.cols()), work(cost.rows());
  const auto span = [&] { return std::span<double>(work.data(), static_cast<std::size_t>(work.size())); };
  for (Eigen::Index j = 0; j < cost.cols(); ++j) {
    work = (potential - cost.col(j)) / epsilon;
    const double top = work.maxCoeff();
    work.array() -= top;
    math::exp(span(), span());
    out(j) = -epsilon * (top + std::log(work.mean()));
  }
  return out;
}

// Returns the regularisation of every iteration: halved from the largest cost down to `epsilon`, then kPlain times
// `epsilon`.
std::vector<double> schedule(double largest, double epsilon) {
  std::vector<double> result;
  for (double e = largest; e > epsilon; e /= 2) result.push_back(e);
  result.insert(result.end(), kPlain, epsilon);
  return result;
}

// Returns the dual value of entropic transport between two samples.
double entropic(const Eigen::MatrixXd& cost, double epsilon) {
  const Eigen::MatrixXd transposed = cost.transpose();
  Eigen::VectorXd f = Eigen::VectorXd::Zero(cost.rows()), g = Eigen::VectorXd::Zero(cost.cols());
  for (const double e : schedule(cost.maxCoeff(), epsilon)) {
    f = soft_minimum(transposed, g, e);
    g = soft_minimum(cost, f, e);
  }
  return f.mean() + g.mean();
}

// Returns the dual value of entropic transport of a sample to itself. There is a single potential, and averaged updates
// converge in a few steps.
double self_entropic(const Eigen::MatrixXd& cost, double epsilon) {
  Eigen::VectorXd f = Eigen::VectorXd::Zero(cost.rows());
  for (const double e : schedule(cost.maxCoeff(), epsilon)) f = (0.5 * (f + soft_minimum(cost, f, e))).eval();
  return f.mean() + soft_minimum(cost, f, epsilon).mean();
}

// Returns the matrix with entries cost(i, j) = ‖a_i - b_j‖².
Eigen::MatrixXd squared_distances(const Points& a, const Points& b) {
  Eigen::MatrixXd cost(a.cols(), b.cols());
  for (Eigen::Index j = 0; j < b.cols(); ++j) cost.col(j) = (a.colwise() - b.col(j)).colwise().squaredNorm();
  return cost;
}

// Returns the debiased divergence (Feydy et al. 2019): the entropic cost less half of each sample's cost to itself.
double sinkhorn_divergence(const Points& a, const Points& b) {
  const Eigen::MatrixXd across = squared_distances(a, b), within_a = squared_distances(a, a);
  const Eigen::MatrixXd within_b = squared_distances(b, b);
  const double scale = std::max(within_a.mean(), within_b.mean());
  if (scale == 0) return across.mean();
  const double epsilon = kSharpness * scale;
  const double value =
      entropic(across, epsilon) - 0.5 * (self_entropic(within_a, epsilon) + self_entropic(within_b, epsilon));
  return std::max(value, 0.0);
}

constexpr int kDirections = 64;

// Draws normal numbers with SplitMix64 (Steele, Lea and Flood 2014). Every call of sliced_cost uses the same numbers,
// because a score must not depend on a seed.
double next_normal(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  z ^= z >> 31;
  return normal_quantile((static_cast<double>(z >> 11) + 0.5) * 0x1p-53);
}

Eigen::VectorXd sorted_projection(const Points& points, const Eigen::VectorXd& direction) {
  Eigen::VectorXd x = points.transpose() * direction;
  std::sort(x.data(), x.data() + x.size());
  return x;
}

// Returns ∫ (F⁻¹ - G⁻¹)² over the steps of both quantile functions. Steps end at i/n and j/m, which are compared as
// integers.
double sorted_cost(const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
  const Eigen::Index n = x.size(), m = y.size();
  double sum = 0;
  for (Eigen::Index i = 0, j = 0, at = 0; i < n && j < m;) {
    const Eigen::Index until = std::min((i + 1) * m, (j + 1) * n);
    sum += static_cast<double>(until - at) * (x(i) - y(j)) * (x(i) - y(j));
    at = until;
    if ((i + 1) * m == until) ++i;
    if (at == (j + 1) * n) ++j;
  }
  return sum / (static_cast<double>(n) * static_cast<double>(m));
}

// Returns d times the mean over fixed directions of the exact W2² of the projections.
double sliced_cost(const Points& a, const Points& b) {
  if (a.rows() == 1)
    return sorted_cost(sorted_projection(a, Eigen::VectorXd::Ones(1)), sorted_projection(b, Eigen::VectorXd::Ones(1)));
  std::uint64_t state = 1;
  Eigen::VectorXd direction(a.rows());
  double sum = 0;
  for (int k = 0; k < kDirections; ++k) {
    for (double& x : direction) x = next_normal(state);
    direction.normalize();
    sum += sorted_cost(sorted_projection(a, direction), sorted_projection(b, direction));
  }
  return static_cast<double>(a.rows()) * sum / kDirections;
}

}  // namespace

EmpiricalW2 empirical_w2(ConstPanelView a, ConstPanelView b) {
  if (a.rows != b.rows)
    throw std::invalid_argument(fmt::format(
        "empirical_w2: found samples of {} and {} dimensions, accepted: the same dimension", a.rows, b.rows));
  if (a.columns < 1 || b.columns < 1)
    throw std::invalid_argument(
        fmt::format("empirical_w2: found samples of {} and {} points, accepted: 1 or more", a.columns, b.columns));
  Points x = points(a), y = points(b);
  if (!x.allFinite() || !y.allFinite()) return {std::numeric_limits<double>::quiet_NaN(), "none"};
  const double shift = (take_mean(x) - take_mean(y)).squaredNorm();
  const auto result = [&](double cost, const char* method) {
    return EmpiricalW2{std::sqrt(shift + std::max(cost, 0.0)), method};
  };
  if (a.rows == 1) return result(sliced_cost(x, y), "exact");
  if (a.columns == b.columns && a.columns <= kExact) return result(assignment_cost(squared_distances(x, y)), "exact");
  if (a.columns <= kSinkhorn && b.columns <= kSinkhorn) return result(sinkhorn_divergence(x, y), "sinkhorn");
  return result(sliced_cost(x, y), "sliced");
}

}  // namespace pollen::stats
