// Measures how well the clients' present models fit their rows. It is cheap enough to be called during a run.
#include <algorithm>
#include <limits>
#include <numeric>

#include "experiment_parts.h"

namespace pollen {

namespace {

constexpr Index kMostClients = 1000;

// The sum of -log p(y | φ, z) over rows, and their number.
struct Loss {
  double sum = 0;
  Index rows = 0;

  void add(const PersonalRows& of, std::span<const double> shared, std::span<const double> z, Scratch& scratch) {
    if (of.rows() == 0) return;
    Scratch::Frame frame(scratch);
    const auto out = scratch.take<double>(of.rows());
    of.log_likelihood(shared, z, out, scratch);
    sum -= std::accumulate(out.begin(), out.end(), 0.0);
    rows += of.rows();
  }
  double mean() const { return rows > 0 ? sum / static_cast<double>(rows) : std::numeric_limits<double>::quiet_NaN(); }
};

}  // namespace

RowLoss PersonalResults::row_loss() const {
  const PersonalParts& parts = *parts_.personal;
  const Index some = std::min(parts_.problem.clients(), kMostClients), chains = parts.problem.chains;
  const auto latent = static_cast<std::size_t>(parts.model->latent());
  std::vector<double> shared(static_cast<std::size_t>(parts.model->shared()));
  const ConstPanelView position = parts_.engine->position();
  Panel latents(parts.model->latent() * chains, some);
  if (!parts.baseline)
    parts_.link->transport().query(
        {.what = Query::What::latents, .at = position, .direction = {}, .step = parts_.federation->server().round()},
        latents);
  Loss train, test;
  Scratch scratch;
  for (Index i = 0; i < some; ++i) {
    const auto at = static_cast<std::size_t>(i);
    for (Index c = 0; c < chains; ++c) {
      const auto z = latents.column(i).subspan(static_cast<std::size_t>(c) * latent, latent);
      std::ranges::copy(position.column(c).first(shared.size()), shared.begin());
      if (parts.baseline) parts_.baseline->personal_shared(i, c, shared);
      if (parts.baseline) parts_.baseline->latent(i, c, z);
      train.add(parts.train[at], shared, z, scratch);
      test.add(parts.test[at], shared, z, scratch);
    }
  }
  return {train.mean(), test.mean()};
}

}  // namespace pollen
