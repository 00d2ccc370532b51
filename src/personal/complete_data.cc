#include "complete_data.h"

#include "math/math.h"

namespace pollen {

CompleteData::CompleteData(const LocalTarget& target, std::span<const double> z, Scratch& scratch)
    : target_(target), scratch_(scratch), shared_(target.client.shared()) {
  const Index latent = target.population.latent(), all = shared_ + latent;
  rows_ = scratch.panel(all, all);
  by_z_ = scratch.take<double>(latent);
  by_shared_ = scratch.take<double>(shared_);
  fill(rows_, 0.0);
  target.client.add_hessian(target.shared, z, rows_, scratch);
  for (Index j = 0; j < latent; ++j) {
    places_.push_back(*target.population.place(target.beta, j));
    const double known = rows_.column(shared_ + j)[static_cast<std::size_t>(shared_ + j)];
    moves_.push_back(known * places_.back().sd * places_.back().sd < 1);
  }
}

void CompleteData::add(std::span<const double> z, std::span<double> score, PanelView hessian) {
  target_.client.gradient(target_.shared, z, by_z_, by_shared_, scratch_);
  fill(rows_, 0.0);
  target_.client.add_hessian(target_.shared, z, rows_, scratch_);
  math::axpy(-1, by_shared_, score.first(by_shared_.size()));
  math::add(ConstPanelView{rows_.data, shared_, shared_, rows_.stride},
            PanelView{hessian.data, shared_, shared_, hessian.stride});
  for (std::size_t j = 0; j < places_.size(); ++j)
    moves_[j] ? add_moving(j, z, score, hessian) : add_held(j, z[j] - places_[j].mean, score, hessian);
}

// log p(z_j | β) = -½ (z_j - μ)²/σ² - log σ.
void CompleteData::add_held(std::size_t j, double delta, std::span<double> score, PanelView hessian) const {
  const NormalPlace& place = places_[j];
  const double weight = 1 / (place.sd * place.sd);
  const Index mu = shared_ + place.of_mean, lambda = shared_ + place.of_log_sd;
  const auto at = [&](Index row, Index column) -> double& {
    return hessian.column(column)[static_cast<std::size_t>(row)];
  };
  if (place.of_mean >= 0) {
    score[static_cast<std::size_t>(mu)] += weight * delta;
    at(mu, mu) += weight;
  }
  if (place.of_log_sd < 0) return;
  score[static_cast<std::size_t>(lambda)] += weight * delta * delta - 1;
  at(lambda, lambda) += 2 * weight * delta * delta;
  if (place.of_mean < 0) return;
  at(mu, lambda) += 2 * weight * delta;
  at(lambda, mu) += 2 * weight * delta;
}

std::vector<CompleteData::Move> CompleteData::moves_of(std::size_t j, std::span<const double> z) const {
  const NormalPlace& place = places_[j];
  std::vector<Move> moves;
  if (place.of_mean >= 0) moves.push_back({shared_ + place.of_mean, 1});
  if (place.of_log_sd >= 0) moves.push_back({shared_ + place.of_log_sd, z[j] - place.mean});
  return moves;
}

// U_i(φ, z) with z_j = μ + σ v by the chain rule; p(v) does not depend on β.
void CompleteData::add_moving(std::size_t j, std::span<const double> z, std::span<double> score,
                              PanelView hessian) const {
  const auto own = shared_ + static_cast<Index>(j);
  for (const Move& move : moves_of(j, z)) {
    score[static_cast<std::size_t>(move.place)] -= move.by * by_z_[j];
    for (std::size_t i = 0; i < by_shared_.size(); ++i) {
      const double both = move.by * rows_.column(own)[i];
      hessian.column(move.place)[i] += both;
      hessian.column(static_cast<Index>(i))[static_cast<std::size_t>(move.place)] += both;
    }
    for (std::size_t k = 0; k < places_.size(); ++k)
      if (moves_[k])
        for (const Move& other : moves_of(k, z))
          hessian.column(other.place)[static_cast<std::size_t>(move.place)] +=
              move.by * other.by * rows_.column(shared_ + static_cast<Index>(k))[static_cast<std::size_t>(own)];
  }
  const Index lambda = places_[j].of_log_sd;  // the second derivative of z_j by log σ is σ v
  if (lambda >= 0)
    hessian.column(shared_ + lambda)[static_cast<std::size_t>(shared_ + lambda)] += (z[j] - places_[j].mean) * by_z_[j];
}

}  // namespace pollen
