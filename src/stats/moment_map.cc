#include "moment_map.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <stdexcept>

#include "math/linear_algebra.h"

namespace pollen::stats {

Eigen::MatrixXd MomentMap::linear_part(const Eigen::MatrixXd& covariance) const {
  Eigen::MatrixXd result = matrix() * covariance * matrix().transpose();
  for (const Eigen::MatrixXd& deviation : deviations) {
    const auto a = deviation.leftCols(size());
    result.noalias() += a * covariance * a.transpose();
  }
  return result;
}

Law MomentMap::next(const Law& law) const {
  Law result;
  result.mean = matrix() * law.mean + mean.col(size());
  result.covariance = linear_part(law.covariance) + noise;
  for (const Eigen::MatrixXd& deviation : deviations) {
    const Eigen::VectorXd r = deviation.leftCols(size()) * law.mean + deviation.col(size());
    result.covariance.noalias() += r * r.transpose();
  }
  result.covariance = (0.5 * (result.covariance + result.covariance.transpose())).eval();
  return result;
}

MomentMap moment_map(const Phase& phase) {
  if (phase.outcomes.empty())
    throw std::invalid_argument("stationary: found a phase without outcomes, accepted: at least 1 per phase");
  const Eigen::Index n = phase.outcomes.front().b.size();
  MomentMap map{Eigen::MatrixXd::Zero(n, n + 1), {}, phase.noise};
  double total = 0;
  for (const AffineOutcome& outcome : phase.outcomes) {
    if (outcome.b.size() != n || outcome.a.rows() != n || outcome.a.cols() != n)
      throw std::invalid_argument(
          fmt::format("stationary: found an outcome with a of {} × {} and b of size {}, accepted: size {}, as the "
                      "first outcome has",
                      outcome.a.rows(), outcome.a.cols(), outcome.b.size(), n));
    map.mean.leftCols(n) += outcome.probability * outcome.a;
    map.mean.col(n) += outcome.probability * outcome.b;
    total += outcome.probability;
  }
  if (!(std::abs(total - 1) < 1e-9))
    throw std::invalid_argument(fmt::format("stationary: found probabilities with the sum {}, accepted: 1", total));
  if (map.noise.rows() != n || map.noise.cols() != n)
    throw std::invalid_argument(
        fmt::format("stationary: found noise of {} × {}, accepted: {} × {}", map.noise.rows(), map.noise.cols(), n, n));
  if (phase.outcomes.size() == 1) return map;
  for (const AffineOutcome& outcome : phase.outcomes) {
    Eigen::MatrixXd both(n, n + 1);
    both << outcome.a, outcome.b;
    map.deviations.push_back(std::sqrt(outcome.probability) * (both - map.mean));
  }
  return map;
}

MomentMap mixture(double probability, const MomentMap& one, const MomentMap& other) {
  const double left = 1 - probability;
  MomentMap map{probability * one.mean + left * other.mean, {}, probability * one.noise + left * other.noise};
  for (const Eigen::MatrixXd& d : one.deviations) map.deviations.push_back(std::sqrt(probability) * d);
  for (const Eigen::MatrixXd& d : other.deviations) map.deviations.push_back(std::sqrt(left) * d);
  map.deviations.push_back(std::sqrt(probability * left) * (one.mean - other.mean));
  return map;
}

MomentMap then(const Eigen::MatrixXd& first, MomentMap second) {
  const Eigen::Index n = second.size();
  const auto follow = [&](const Eigen::MatrixXd& map) {
    Eigen::MatrixXd result = map.leftCols(n) * first;
    result.col(n) += map.col(n);
    return result;
  };
  second.mean = follow(second.mean);
  for (Eigen::MatrixXd& deviation : second.deviations) deviation = follow(deviation);
  return second;
}

Spread spread_of(const std::vector<Eigen::MatrixXd>& outcomes) {
  const Eigen::Index rows = outcomes.front().rows(), columns = outcomes.front().cols();
  const auto count = static_cast<Eigen::Index>(outcomes.size());
  Eigen::MatrixXd all(rows * columns, count);
  for (Eigen::Index c = 0; c < count; ++c) all.col(c) = outcomes[static_cast<std::size_t>(c)].reshaped();
  const Eigen::VectorXd mean = all.rowwise().mean();
  Spread result{mean.reshaped(rows, columns), {}};
  if (count == 1) return result;
  all.colwise() -= mean;
  const math::Eigenpairs eigen = math::symmetric_eigen(all * all.transpose() / static_cast<double>(count));
  for (Eigen::Index e = 0; e < mean.size(); ++e) {
    const double value = eigen.values(e);
    if (value <= 1e-18 * eigen.values(mean.size() - 1)) continue;
    const Eigen::VectorXd deviation = std::sqrt(value) * eigen.vectors.col(e);
    result.deviations.push_back(deviation.reshaped(rows, columns));
  }
  return result;
}

Eigen::MatrixXd AffineVectors::block(Eigen::Index first) const {
  Eigen::MatrixXd result = zero();
  result.middleCols(first, d).setIdentity();
  return result;
}

Eigen::MatrixXd AffineVectors::constant(const Eigen::VectorXd& value) const {
  Eigen::MatrixXd result = zero();
  result.col(size) = value;
  return result;
}

RoundMap::RoundMap(Eigen::Index size, const std::vector<Attendance>& attendances, AddMessage add_message)
    : attendances_(attendances),
      add_message_(std::move(add_message)),
      map_{Eigen::MatrixXd::Zero(size, size + 1), {}, Eigen::MatrixXd::Zero(size, size)} {}

void RoundMap::add(double probability, const Eigen::MatrixXd& base, const std::vector<Spread>& messages) {
  std::map<std::pair<Eigen::Index, double>, double> weights;  // (client, weight) → probability
  for (const Attendance& attendance : attendances_) {
    const double chance = probability * attendance.probability;
    Eigen::MatrixXd step = base;
    for (Eigen::Index i = 0; i < attendance.weight.size(); ++i) {
      if (attendance.weight(i) == 0) continue;
      add_message_(i, attendance.weight(i), messages[static_cast<std::size_t>(i)].mean, step);
      weights[{i, attendance.weight(i)}] += chance;
    }
    map_.mean += chance * step;
    steps_.emplace_back(chance, std::move(step));
  }
  for (const auto& [key, chance] : weights) {
    for (const Eigen::MatrixXd& deviation : messages[static_cast<std::size_t>(key.first)].deviations) {
      map_.deviations.emplace_back(Eigen::MatrixXd::Zero(base.rows(), base.cols()));
      add_message_(key.first, key.second, std::sqrt(chance) * deviation, map_.deviations.back());
    }
  }
}

MomentMap RoundMap::finish() {
  if (steps_.size() > 1)
    for (const auto& [chance, step] : steps_) map_.deviations.push_back(std::sqrt(chance) * (step - map_.mean));
  return std::move(map_);
}

}  // namespace pollen::stats
