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
  const auto each = static_cast<std::size_t>(parts.work.latents), k = static_cast<std::size_t>(parts.model->shared());
  std::vector<double> model(k + static_cast<std::size_t>(parts.model->latent()));
  const std::span<const double> shared = std::span(model).first(k), z = std::span(model).subspan(k);
  const ConstPanelView position = parts_.engine->position();
  Panel latents(parts.work.latents * chains, some);
  if (!latents.empty())
    parts_.link->transport().query(
        {.what = Query::What::latents, .at = position, .direction = {}, .step = parts_.federation->server().round()},
        latents);
  Loss train, test;
  Scratch scratch;
  for (Index i = 0; i < some; ++i) {
    const auto at = static_cast<std::size_t>(i);
    for (Index c = 0; c < chains; ++c) {
      parts.point(i, position.column(c), latents.column(i).subspan(static_cast<std::size_t>(c) * each, each), model);
      train.add(parts.train[at], shared, z, scratch);
      test.add(parts.test[at], shared, z, scratch);
    }
  }
  return {train.mean(), test.mean()};
}

}  // namespace pollen
