#include "run/personal_results.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "experiment_parts.h"
#include "own_draws.h"
#include "pollen/stats.h"

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

std::vector<std::string> PersonalResults::latent_labels() const { return parts_.personal->model->latent_labels(); }
bool PersonalResults::predicts_classes() const { return parts_.personal->model->classifies(); }
Index PersonalResults::shared() const { return parts_.personal->model->shared(); }
Index PersonalResults::outputs() const { return parts_.personal->model->outputs(); }
bool PersonalResults::learns_average() const { return parts_.personal->model->identified(); }
bool PersonalResults::apart() const { return parts_.personal->apart; }
bool PersonalResults::has_posterior() const { return parts_.personal->prior.has_value(); }
bool PersonalResults::may_judge() const { return learns_average() && !parts_.personal->network; }
bool PersonalResults::is_baseline() const { return parts_.personal->baseline; }
std::vector<std::size_t> PersonalResults::identified() const { return parts_.personal->identified(); }

Panel PersonalResults::learnt() const { return in_data_units(own_learnt()); }
Panel PersonalResults::averaged() const { return in_data_units(own_average()); }

Panel PersonalResults::own_learnt() const {
  return copy_of(learns_average() ? own_average() : parts_.engine->position());
}

Panel PersonalResults::in_data_units(ConstPanelView own) const { return parts_.personal->in_data_units(own); }

ConstPanelView PersonalResults::own_average() const {
  const bool averages = parts_.approximation != nullptr && parts_.engine->iteration() > *parts_.config.run.burn_in;
  return averages ? parts_.approximation->average() : parts_.engine->position();
}

// A new client draws with the run's seed.
std::uint64_t PersonalResults::seed_of(std::optional<Index> client) const {
  return client ? latent_seed(parts_.config.seed, static_cast<std::uint64_t>(*client)) : parts_.config.seed;
}

// All of it in the units of the standardised columns, in which columns of any scale are alike.
Learnt PersonalResults::in_own_units(Learnt learnt) const {
  for (Index c = 0; c < learnt.at.columns(); ++c) parts_.personal->units.from_data(learnt.at.column(c));
  return learnt;
}

OwnSeeds PersonalResults::seeds_of(std::optional<Index> client) const { return {parts_.config.seed, seed_of(client)}; }

OwnDraws PersonalResults::own_draws(Index client, const OwnQuestion& question, const Learnt& learnt) const {
  if (is_baseline())
    return point_of(*parts_.personal, client, question, own_learnt(), parts_.federation->latents().column(client));
  return draw_own(*parts_.personal, client, question, in_clients_units(learnt), seeds_of(client));
}

Learnt PersonalResults::in_clients_units(const Learnt& learnt) const {
  return learnt.covariance.empty() && !learnt.draws ? Learnt{own_learnt()} : in_own_units(learnt);
}

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
