// Draws of a client's latent that take the uncertainty of (φ, β) into account: by the normal law of the estimates, or
// by draws of their posterior.
#include <algorithm>
#include <cmath>

#include "math/math.h"
#include "model/coordinates.h"
#include "own_draws.h"
#include "personal/latent_draws.h"

namespace pollen {

namespace {

// The normal distribution of the estimates. Coordinates without variance keep their value. The covariance is scaled to
// a correlation matrix before its root is taken, because the logarithm of a spread and a coefficient of a target in
// dollars may be ten digits apart.
class EstimatesLaw {
 public:
  explicit EstimatesLaw(const Learnt& learnt)
      : mean_(static_cast<std::size_t>(learnt.at.rows()), 0.0), root_(learnt.at.rows(), learnt.at.rows()) {
    const Index d = learnt.at.rows(), chains = learnt.at.columns();
    for (Index c = 0; c < chains; ++c) math::axpy(1 / static_cast<double>(chains), learnt.at.column(c), mean_);
    const auto covariance = [&](Index i, Index j) { return learnt.covariance[static_cast<std::size_t>(i * d + j)]; };
    for (Index j = 0; j < d; ++j) sd_.push_back(std::sqrt(std::max(0.0, covariance(j, j))));
    for (Index j = 0; j < d; ++j)
      for (Index i = j; i < d; ++i) {
        const double scale = sd_[static_cast<std::size_t>(i)] * sd_[static_cast<std::size_t>(j)];
        root_.column(j)[static_cast<std::size_t>(i)] = i == j ? 1 : scale > 0 ? covariance(i, j) / scale : 0;
      }
    replace_by_root(root_);
  }

  void draw(std::uint64_t seed, std::uint64_t number, std::span<double> out) const {
    std::vector<double> z(mean_.size());
    Stream stream = make_stream(seed, 0, Purpose::init);
    stream.round = number;
    normals(stream, z);
    std::ranges::copy(mean_, out.begin());
    for (std::size_t j = 0; j < z.size(); ++j)
      for (std::size_t i = j; i < z.size(); ++i) out[i] += sd_[i] * root_.column(static_cast<Index>(j))[i] * z[j];
  }

 private:
  std::vector<double> mean_, sd_;
  Panel root_;  // its lower triangle is L with LLᵀ the correlation matrix
};

}  // namespace

void for_each_uncertain_draw(const PersonalParts& parts, const PersonalRows& rows, const Learnt& learnt, Index draws,
                             OwnSeeds seeds, const OwnDrawVisitor& visit) {
  constexpr Index kMostPositions = 1000;
  const EstimatesLaw law(learnt);
  const auto client = rows.potential();
  const Index each = (draws + kMostPositions - 1) / kMostPositions;
  std::vector<double> position(static_cast<std::size_t>(learnt.at.rows())), last;
  const auto shared = std::span<const double>(position).first(static_cast<std::size_t>(parts.model->shared()));
  for (Index n = 0; n < draws;) {
    const auto number = static_cast<std::uint64_t>(n / each);
    law.draw(seeds.estimates, number, position);
    const std::vector<double> from = last;
    draw_latents(*client, *parts.population, position, {std::min(each, draws - n), seeds.latents, number, from},
                 [&](std::span<const double> z) {
                   visit(0, n++, shared, z);
                   last.assign(z.begin(), z.end());
                 });
  }
}

void for_each_posterior_draw(const PersonalParts& parts, const PersonalRows& rows, ConstPanelView positions,
                             std::uint64_t seed, const OwnDrawVisitor& visit) {
  constexpr Index kPositions = 4;  // of every chain, without second derivatives
  const auto client = rows.potential();
  const Index chains = std::min(parts.problem.chains, positions.columns), each = positions.columns / chains;
  const auto shared = [&](Index n) {
    return positions.column(n).first(static_cast<std::size_t>(parts.model->shared()));
  };
  if (!client->has_hessian()) {
    const Index places = std::min(kPositions, each), draws = each / places;
    Panel at(positions.rows, chains * places);
    for (Index n = 0; n < at.columns(); ++n)
      std::ranges::copy(positions.column(n / places * each + (n % places + 1) * each / places - 1),
                        at.column(n).begin());
    return for_each_own_draw(parts, rows, at, draws, seed,
                             [&](Index n, Index draw, std::span<const double> phi, std::span<const double> z) {
                               visit(n / places, n % places * draws + draw, phi, z);
                             });
  }
  std::vector<double> last;
  for (Index n = 0; n < chains * each; ++n) {
    if (n % each == 0) last.clear();
    const std::vector<double> from = last;
    draw_latents(*client, *parts.population, positions.column(n),
                 {.count = 1, .seed = seed, .number = static_cast<std::uint64_t>(n), .from = from},
                 [&](std::span<const double> z) {
                   visit(n / each, n % each, shared(n), z);
                   last.assign(z.begin(), z.end());
                 });
  }
}

}  // namespace pollen
