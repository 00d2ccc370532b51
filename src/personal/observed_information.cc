#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "complete_data.h"
#include "latent_answers.h"
#include "math/math.h"
#include "pollen/stats.h"

namespace pollen {

namespace {

// Draws of one client's latent with what Louis' identity needs of each: the gradient of the log of the joint density by
// (φ, β). The second derivatives enter as their sum.
class LatentSample {
 public:
  LatentSample(const LocalTarget& target, const LocalStreams& streams)
      : target_(target),
        frame_(scratch_),
        dimension_(target.shared.size() + target.beta.size()),
        chain_(kQuarterPeriods, target, streams, scratch_),
        hessian_(static_cast<Index>(dimension_), static_cast<Index>(dimension_)),
        latents_(static_cast<std::size_t>(target.population.latent())),
        slopes_(latents_.size()) {
    std::vector<double> z(latents_.size(), 0.0);
    target.population.draw(target.beta, z);
    chain_.start(z);
    for (int m = 0; m < kWarmUp; ++m) chain_.step(steps_++);
    likelihood_.emplace(target_, chain_.position(), scratch_);
  }

  void draw(Index count) {
    for (Index n = 0; n < count; ++n) {
      chain_.step(steps_++);
      const auto z = chain_.position();
      for (std::size_t j = 0; j < latents_.size(); ++j) {
        latents_[j].push_back(chain_.state().z[j]);
        slopes_[j].push_back(chain_.state().gradient[j]);
      }
      energies_.push_back(chain_.state().value);
      const std::size_t at = scores_.size();
      scores_.resize(at + dimension_, 0.0);
      likelihood_->add(z, std::span(scores_).subspan(at), hessian_);
    }
  }

  std::size_t draws() const { return energies_.size(); }
  // The least effective number of draws, of the latents and of log p(z | D_i, φ, β).
  double effective() const {
    double least = stats::ess_mean({energies_, 1});
    for (const std::vector<double>& z : latents_) least = std::min(least, stats::ess_mean({z, 1}));
    return least;
  }

  // Adds the information to the first columns of `out` and the expected score, which is the gradient of the marginal
  // log-likelihood, to the last.
  void add_to(PanelView out) const {
    const auto n = static_cast<double>(draws());
    const Index d = hessian_.columns(), q = std::ssize(latents_);
    for (Index j = 0; j < d; ++j) math::axpy(1 / n, hessian_.column(j), out.column(j));
    std::vector<double> mean(dimension_, 0.0), apart(dimension_), centre(latents_.size(), 0.0), u(latents_.size());
    for (std::size_t i = 0; i < draws(); ++i) {
      math::axpy(1 / n, score(i), mean);
      for (std::size_t j = 0; j < u.size(); ++j) centre[j] += latents_[j][i] / n;
    }
    Panel of_latents(q, q), with_scores(q, d), excess(q, q);
    for (std::size_t i = 0; i < draws(); ++i) {
      math::subtract(score(i), mean, apart);
      for (std::size_t j = 0; j < u.size(); ++j) u[j] = latents_[j][i] - centre[j];
      for (Index j = 0; j < d; ++j) {
        const double share = apart[static_cast<std::size_t>(j)] / (n - 1);
        math::axpy(-share, apart, out.column(j));
        math::axpy(share, u, with_scores.column(j));
      }
      for (std::size_t j = 0; j < u.size(); ++j) {
        math::axpy(u[j] / (n - 1), u, of_latents.column(static_cast<Index>(j)));
        math::axpy((latents_[j][i] - slopes_[j][i]) / n, u, excess.column(static_cast<Index>(j)));
      }
    }
    math::add(mean, out.column(d));
    correct(of_latents, with_scores, excess, out);
  }

 private:
  static constexpr int kWarmUp = 50;

  std::span<const double> score(std::size_t draw) const {
    return std::span(scores_).subspan(draw * dimension_, dimension_);
  }

  // Takes the draws' error out of the sums. If a client has many rows, nearly all information about some coefficients
  // may be missing, and the little that is left would be lost in the error of Cov[score]. Most of that error comes from
  // the draws of u, the latent in the chain's coordinates, with which scores change nearly linearly, by Γ = Cov[score,
  // u] Cov[u]⁻¹. With V = -log p(u | D_i) Stein's identity says E[∇V] = 0 and E[∇V uᵀ] = I, hence Cov[u] = I + E[(u -
  // ∇V)(u - E u)ᵀ]. The last term is 0 for a normal distribution and has little error for others. So Γ Cov[u] Γᵀ is
  // computed with this, and the mean of Γ ∇V, which should be 0, is subtracted.
  void correct(const Panel& of_latents, const Panel& with_scores, const Panel& excess, PanelView out) const {
    const Index d = hessian_.columns(), q = of_latents.rows();
    const Coordinates root(std::vector<double>(latents_.size()), of_latents, true);
    Panel pulled(q, d), by_latent(q, d);  // Γᵀ
    root.pull_back(with_scores, pulled);
    root.turn(pulled, by_latent);
    const auto at = [](const Panel& panel, Index row, Index column) {
      return panel.column(column)[static_cast<std::size_t>(row)];
    };
    for (Index j = 0; j < q; ++j) {
      const std::vector<double>& slopes = slopes_[static_cast<std::size_t>(j)];
      const double slope = std::accumulate(slopes.begin(), slopes.end(), 0.0) / static_cast<double>(draws());
      for (Index a = 0; a < d; ++a) out.column(d)[static_cast<std::size_t>(a)] -= at(by_latent, j, a) * slope;
      for (Index k = 0; k < q; ++k) {
        const double more = (j == k) + 0.5 * (at(excess, j, k) + at(excess, k, j)) - at(of_latents, j, k);
        for (Index b = 0; b < d; ++b)
          for (Index a = 0; a < d; ++a)
            out.column(b)[static_cast<std::size_t>(a)] -= at(by_latent, j, a) * more * at(by_latent, k, b);
      }
    }
  }

  LocalTarget target_;
  Scratch scratch_;
  Scratch::Frame frame_;
  std::size_t dimension_;  // of (φ, β)
  LocalChain chain_;
  std::optional<CompleteData> likelihood_;
  Index steps_ = 0;
  Panel hessian_;                                      // Σ -∇² log p(D_i, z | φ, β) over the draws
  std::vector<double> scores_;                         // one gradient per draw
  std::vector<std::vector<double>> latents_, slopes_;  // u and ∇V, one list per coordinate
  std::vector<double> energies_;
};

}  // namespace

void add_observed(const LocalTarget& target, const LocalStreams& streams, Index draws, PanelView out) {
  constexpr std::size_t kMostPerEffective = 20;
  LatentSample data(target, streams);
  data.draw(draws);
  const auto most = kMostPerEffective * static_cast<std::size_t>(draws);
  while (!(data.effective() >= static_cast<double>(draws)) && data.draws() < most) data.draw(draws / 2 + 1);
  data.add_to(out);
}

}  // namespace pollen
