// Draws of a client's latent that take the uncertainty of (φ, β) into account.
#include <algorithm>
#include <cmath>

#include "math/math.h"
#include "own_draws.h"
#include "personal/latent_draws.h"

namespace pollen {

namespace {

// The normal distribution of the estimates. Coordinates without variance keep their value.
class EstimatesLaw {
 public:
  explicit EstimatesLaw(const Learnt& learnt)
      : mean_(static_cast<std::size_t>(learnt.at.rows()), 0.0), factor_(learnt.covariance) {
    for (Index c = 0; c < learnt.at.columns(); ++c)
      math::axpy(1 / static_cast<double>(learnt.at.columns()), learnt.at.column(c), mean_);
    factorise();
  }

  void draw(std::uint64_t seed, std::uint64_t number, std::span<double> out) const {
    std::vector<double> z(mean_.size());
    Stream stream = make_stream(seed, 0, Purpose::init);
    stream.round = number;
    normals(stream, z);
    std::ranges::copy(mean_, out.begin());
    for (std::size_t i = 0; i < mean_.size(); ++i)
      for (std::size_t j = 0; j <= i; ++j) out[i] += factor_[i * mean_.size() + j] * z[j];
  }

 private:
  // Replaces the lower triangle by its Cholesky factor.
  void factorise() {
    const std::size_t d = mean_.size();
    const auto at = [&](std::size_t i, std::size_t j) -> double& { return factor_[i * d + j]; };
    for (std::size_t j = 0; j < d; ++j) {
      double pivot = at(j, j);
      for (std::size_t k = 0; k < j; ++k) pivot -= at(j, k) * at(j, k);
      at(j, j) = std::sqrt(std::max(pivot, 0.0));
      for (std::size_t i = j + 1; i < d; ++i) {
        double sum = at(i, j);
        for (std::size_t k = 0; k < j; ++k) sum -= at(i, k) * at(j, k);
        at(i, j) = at(j, j) > 0 ? sum / at(j, j) : 0;
      }
    }
  }

  std::vector<double> mean_, factor_;
};

}  // namespace

void for_each_uncertain_draw(const PersonalParts& parts, const PersonalRows& rows, const Learnt& learnt, Index draws,
                             std::uint64_t seed, const OwnDrawVisitor& visit) {
  constexpr Index kMostPositions = 1000;
  const EstimatesLaw law(learnt);
  const auto client = rows.potential();
  const Index positions = std::min(draws, kMostPositions), each = (draws + positions - 1) / positions;
  std::vector<double> position(static_cast<std::size_t>(learnt.at.rows()));
  const auto shared = std::span<const double>(position).first(static_cast<std::size_t>(parts.model->shared()));
  for (Index n = 0; n < positions; ++n) {
    law.draw(seed, static_cast<std::uint64_t>(n), position);
    parts.units.from_data(position);
    Index drawn = 0;
    draw_latents(*client, *parts.population, position, {each, seed, static_cast<std::uint64_t>(n)},
                 [&](std::span<const double> z) { visit(0, n * each + drawn++, shared, z); });
  }
}

}  // namespace pollen
