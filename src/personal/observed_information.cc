#include <algorithm>
#include <cmath>
#include <vector>

#include "latent_answers.h"
#include "math/math.h"
#include "pollen/stats.h"

namespace pollen {

namespace {

// Draws of one client's latent with what Louis' identity needs of each: the gradient of the log of the joint density by
// (φ, β). The second derivatives enter as their sum.
class CompleteData {
 public:
  CompleteData(const LocalTarget& target, const LocalStreams& streams)
      : target_(target),
        frame_(scratch_),
        dimension_(target.shared.size() + target.beta.size()),
        chain_(kQuarterPeriods, target, streams, scratch_),
        hessian_(static_cast<Index>(dimension_), static_cast<Index>(dimension_)),
        latents_(static_cast<std::size_t>(target.population.latent())) {
    std::vector<double> z(latents_.size(), 0.0);
    target.population.draw(target.beta, z);
    chain_.start(z);
    for (int m = 0; m < kWarmUp; ++m) chain_.step(steps_++);
  }

  void draw(Index count) {
    for (Index n = 0; n < count; ++n) {
      chain_.step(steps_++);
      const auto z = chain_.position();
      for (std::size_t j = 0; j < latents_.size(); ++j) latents_[j].push_back(z[j]);
      energies_.push_back(chain_.state().value);
      add_hessian(z);
      const std::size_t at = scores_.size();
      scores_.resize(at + dimension_, 0.0);
      const auto score = std::span(scores_).subspan(at), by_shared = score.first(target_.shared.size());
      math::axpy(-1, chain_.state().by_shared, by_shared);
      target_.population.add_score(target_.beta, z, score.subspan(by_shared.size()));
    }
  }

  std::size_t draws() const { return energies_.size(); }
  // The least effective number of draws, of the latents and of log p(z | D_i, φ, β).
  double effective() const {
    double least = stats::ess_mean({energies_, 1});
    for (const std::vector<double>& z : latents_) least = std::min(least, stats::ess_mean({z, 1}));
    return least;
  }

  void add_information(PanelView out) const {
    const auto n = static_cast<double>(draws());
    for (Index j = 0; j < out.columns; ++j) math::axpy(1 / n, hessian_.column(j), out.column(j));
    std::vector<double> mean(dimension_, 0.0), apart(dimension_);
    for (std::size_t at = 0; at < scores_.size(); at += dimension_)
      math::axpy(1 / n, std::span(scores_).subspan(at, dimension_), mean);
    for (std::size_t at = 0; at < scores_.size(); at += dimension_) {
      math::subtract(std::span(scores_).subspan(at, dimension_), mean, apart);
      for (Index j = 0; j < out.columns; ++j)
        math::axpy(-apart[static_cast<std::size_t>(j)] / (n - 1), apart, out.column(j));
    }
  }

 private:
  static constexpr int kWarmUp = 50;

  void add_hessian(std::span<const double> z) {
    const auto k = static_cast<Index>(target_.shared.size()), q = static_cast<Index>(target_.beta.size());
    Scratch::Frame frame(scratch_);
    const PanelView all = scratch_.panel(k + std::ssize(z), k + std::ssize(z));
    fill(all, 0.0);
    target_.client.add_hessian(target_.shared, z, all, scratch_);
    const PanelView whole = hessian_.view();
    math::add(ConstPanelView{all.data, k, k, all.stride}, PanelView{whole.data, k, k, whole.stride});
    target_.population.add_hessian(target_.beta, z, {whole.column(k).data() + k, q, q, whole.stride});
  }

  LocalTarget target_;
  Scratch scratch_;
  Scratch::Frame frame_;
  std::size_t dimension_;  // of (φ, β)
  LocalChain chain_;
  Index steps_ = 0;
  Panel hessian_;                             // Σ -∇² log p(D_i, z | φ, β) over the draws
  std::vector<double> scores_;                // one gradient per draw
  std::vector<std::vector<double>> latents_;  // one list per coordinate of z
  std::vector<double> energies_;
};

}  // namespace

void add_observed(const LocalTarget& target, const LocalStreams& streams, Index draws, PanelView out) {
  constexpr std::size_t kMostPerEffective = 20;
  CompleteData data(target, streams);
  data.draw(draws);
  const auto most = kMostPerEffective * static_cast<std::size_t>(draws);
  while (!(data.effective() >= static_cast<double>(draws)) && data.draws() < most) data.draw(draws / 2 + 1);
  data.add_information(out);
}

}  // namespace pollen
