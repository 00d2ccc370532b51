#include "moments.h"

#include <algorithm>

namespace pollen::laws {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

void Moments::add(ConstPanelView position) {
  for (Index c = 0; c < position.columns; ++c) {
    const auto column = position.column(c);
    add(c, Eigen::Map<const VectorXd>(column.data(), static_cast<Index>(column.size())));
  }
}

void Moments::add(Index chain, const VectorXd& position) {
  const Index d = centre_.size();
  const auto at = static_cast<std::size_t>(chain);
  while (at >= first_.size()) {
    first_.push_back(VectorXd::Zero(d));
    second_.push_back(MatrixXd::Zero(d, d));
    count_.push_back(0);
  }
  VectorXd& first = first_[at];
  MatrixXd& second = second_[at];
  count_[at] += 1;
  for (Index i = 0; i < d; ++i) {
    const double x = position(i) - centre_(i);
    first(i) += x;
    for (Index j = 0; j <= i; ++j) second(i, j) += x * (position(j) - centre_(j));
  }
}

Estimate Moments::estimate() const {
  std::vector<MatrixXd> means, spreads;
  VectorXd mean = VectorXd::Zero(centre_.size());
  const auto chains = static_cast<double>(first_.size());
  for (std::size_t c = 0; c < first_.size(); ++c) {
    means.emplace_back(first_[c] / count_[c]);
    mean += means.back() / chains;
  }
  for (std::size_t c = 0; c < first_.size(); ++c) {
    const VectorXd own = means[c];
    const MatrixXd second = second_[c].selfadjointView<Eigen::Lower>();
    spreads.emplace_back(second / count_[c] - own * mean.transpose() - mean * own.transpose() +
                         mean * mean.transpose());
  }
  const Average first = average(means), second = average(spreads);
  return {centre_ + first.mean, first.error, second.mean, second.error};
}

std::vector<double> Moments::squares() const {
  std::vector<double> result;
  for (std::size_t c = 0; c < second_.size(); ++c) result.push_back(second_[c].trace() / count_[c]);
  return result;
}

Average average(const std::vector<MatrixXd>& chains) {
  const auto n = static_cast<double>(chains.size());
  MatrixXd mean = MatrixXd::Zero(chains.front().rows(), chains.front().cols()), square = mean;
  for (const MatrixXd& x : chains) mean += x / n;
  for (const MatrixXd& x : chains) square += (x - mean).cwiseAbs2();
  return {mean, (square / (n - 1) / n).cwiseSqrt()};
}

double worst(const MatrixXd& difference, const MatrixXd& error) {
  return difference.cwiseAbs().cwiseQuotient(error).maxCoeff();
}

double distance(const Estimate& run, const stats::Law& law) {
  return std::max(worst(run.mean - law.mean, run.mean_error),
                  worst(run.covariance - law.covariance, run.covariance_error));
}

double distance(const Estimate& run, const Estimate& other) {
  const auto both = [](const MatrixXd& a, const MatrixXd& b) {
    return (a.cwiseAbs2() + b.cwiseAbs2()).cwiseSqrt().eval();
  };
  return std::max(worst(run.mean - other.mean, both(run.mean_error, other.mean_error)),
                  worst(run.covariance - other.covariance, both(run.covariance_error, other.covariance_error)));
}

double spread_between(const Estimate& run, const stats::Law& a, const stats::Law& b) {
  const MatrixXd in_errors = (a.covariance - b.covariance).cwiseAbs().cwiseQuotient(run.covariance_error);
  return in_errors.diagonal().minCoeff();
}

}  // namespace pollen::laws
