#include "recursion.h"

#include <cmath>
#include <limits>

#include "search.h"

namespace pollen::plan {

namespace {

Eigen::VectorXd fixed_point(const Recursion& r) {
  const auto n = r.matrix.rows();
  return (Eigen::MatrixXd::Identity(n, n) - r.matrix).fullPivLu().solve(r.constant);
}

}  // namespace

double Recursion::rate() const { return matrix.eigenvalues().cwiseAbs().maxCoeff(); }

double Recursion::limit() const { return rate() < 1 ? fixed_point(*this)(0) : kInfinity; }

double Recursion::after(double iterations) const {
  if (!(rate() < 1)) return kInfinity;
  const Eigen::VectorXd fixed = fixed_point(*this);
  Eigen::VectorXd rest = start - fixed;
  Eigen::MatrixXd power = matrix;
  for (double k = std::floor(iterations); k >= 1; k = std::floor(k / 2)) {
    if (std::fmod(k, 2) == 1) rest = power * rest;
    power = power * power;
  }
  return fixed(0) + rest(0);
}

}  // namespace pollen::plan
