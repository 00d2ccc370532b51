// The exchange of a communication round: the messages, who takes part, and the average.
#include <cmath>
#include <map>
#include <utility>

#include "averaging_maps.h"

namespace pollen::stats {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The message of a client: x_i, or C(x_i - ref - h_i) with compression.
Spread AveragingMaps::message(Index client) const {
  if (!compressed_) return {block(x(client)), {}};
  const MatrixXd change = block(x(client)) - block(reference()) - (memory_ ? block(h(client)) : zero());
  std::vector<MatrixXd> outcomes;
  for (const VectorXd& kept : kept_) outcomes.emplace_back(kept.asDiagonal() * change);
  return spread_of(outcomes);
}

void AveragingMaps::add_message(Index client, double weight, const MatrixXd& message, MatrixXd& step) const {
  if (weight == 0) return;
  for (Index i = 0; i < b_; ++i) step.middleRows(x(i), d_) += weight * message;
  if (!compressed_) return;
  step.middleRows(reference(), d_) += weight * message;
  if (memory_) step.middleRows(h(client), d_) += options_.memory * message;
}

// The exchange without its messages. Positions start from zero, or from ref + Σ w_i h_i with compression; Y and h stay
// unchanged.
MatrixXd AveragingMaps::before_messages() const {
  MatrixXd step = MatrixXd::Identity(size(), size() + 1);
  MatrixXd known = zero();
  if (compressed_) {
    known = block(reference());
    for (Index i = 0; memory_ && i < b_; ++i)
      known += (options_.by_size ? sizes_(i) / sizes_.sum() : 1 / static_cast<double>(b_)) * block(h(i));
    step.middleRows(reference(), d_) = known;
  }
  for (Index i = 0; i < b_; ++i) step.middleRows(x(i), d_) = known;
  return step;
}

// The exchange as a map. The weights are those of docs/algorithms.md section 3 for averages: 1/b or N_c/N; m_c/S under
// scheme I; 1/S under scheme II; 1/|A| over the active clients. The samplers draw who takes part before the local
// steps. Drawing it here gives the same law, because the local steps of absent clients are discarded.
MomentMap AveragingMaps::exchange() const {
  const Index n = size();
  const bool own = options_.by_size && options_.participation != GradientLawOptions::Participation::fixed_size;
  MomentMap map{MatrixXd::Zero(n, n + 1), {}, MatrixXd::Zero(n, n)};
  std::vector<Spread> messages;
  for (Index i = 0; i < b_; ++i) messages.push_back(message(i));
  std::map<std::pair<Index, double>, double> weights;  // (client, weight) → probability
  std::vector<std::pair<double, MatrixXd>> steps;
  for (const Attendance& attendance : attendances_) {
    MatrixXd step = before_messages();
    for (Index i = 0; i < b_; ++i) {
      const double weight = attendance.weight(i) * (own ? sizes_(i) / sizes_.sum() : 1 / static_cast<double>(b_));
      add_message(i, weight, messages[static_cast<std::size_t>(i)].mean, step);
      weights[{i, weight}] += attendance.probability;
    }
    map.mean += attendance.probability * step;
    steps.emplace_back(attendance.probability, std::move(step));
  }
  for (const auto& [key, probability] : weights) {
    for (const MatrixXd& deviation : messages[static_cast<std::size_t>(key.first)].deviations) {
      map.deviations.emplace_back(MatrixXd::Zero(n, n + 1));
      add_message(key.first, key.second, std::sqrt(probability) * deviation, map.deviations.back());
    }
  }
  if (steps.size() > 1)
    for (const auto& [probability, step] : steps) map.deviations.push_back(std::sqrt(probability) * (step - map.mean));
  return map;
}

MomentMap AveragingMaps::exchange_or_not(double probability) const {
  const MomentMap stay{MatrixXd::Identity(size(), size() + 1), {}, MatrixXd::Zero(size(), size())};
  return mixture(probability, exchange(), stay);
}

}  // namespace pollen::stats
