#include "run/personal_site.h"

#include <algorithm>

#include "math/math.h"
#include "own_draws.h"
#include "personal.h"
#include "pollen/round.h"

namespace pollen {

struct PersonalSite::Parts {
  Place place;
  Config config;
  std::unique_ptr<PersonalParts> model;
  Recipe recipe;
  std::shared_ptr<const Potential> whole;
};

namespace {

// This client's potential stands for every client's number, because only its own is ever asked for. Other clients are
// taken to have as many rows.
void stand_alone(PersonalParts& parts, const PersonalSite::Place& place) {
  parts.sizes.assign(static_cast<std::size_t>(place.clients), parts.sizes[place.part]);
  parts.problem.clients = {parts.sizes,
                           [&parts, part = place.part](std::size_t) { return borrowed(parts.potentials[part]); }};
  // The coins of a baseline are the server's, too.
  if (!parts.baseline) parts.problem.seed = place.seed;
}

Panel predictive_draws(const PersonalParts& parts, const PersonalRows& rows, const Learnt& learnt, Index draws,
                       const OwnSeeds& seeds) {
  const auto k = static_cast<std::size_t>(parts.model->shared());
  std::vector<double> all;
  const auto keep = [&](Index, Index, std::span<const double> shared, std::span<const double> z) {
    all.insert(all.end(), shared.begin(), shared.end());
    all.insert(all.end(), z.begin(), z.end());
  };
  if (learnt.draws)
    for_each_posterior_draw(parts, rows, learnt.at, seeds.latents, keep);
  else
    for_each_uncertain_draw(parts, rows, learnt, draws, seeds, keep);
  const auto width = static_cast<Index>(k) + parts.model->latent();
  const Index count = std::ssize(all) / width;
  Panel out = copy_of({all.data(), width, count, width});
  for (Index n = 0; n < count; ++n) parts.model_units.to_data(out.column(n));
  return out;
}

// The means of each chain's draws.
Panel chain_means(const Panel& draws, Index chains) {
  const Index each = draws.columns() / chains;
  Panel out(draws.rows(), chains);
  for (Index n = 0; n < draws.columns(); ++n)
    math::axpy(1 / static_cast<double>(each), draws.column(n), out.column(n / each));
  return out;
}

}  // namespace

PersonalSite::PersonalSite(const Config& given, const StatisticalProblem& problem, const Place& place)
    : parts_(std::make_unique<Parts>(Parts{place, given, nullptr, {}, nullptr})) {
  Config& config = parts_->config;
  parts_->model = make_personal_parts(config, problem.model, problem.data);
  PersonalParts& parts = *parts_->model;
  parts.apart = true;
  stand_alone(parts, place);
  std::vector<std::string> warnings;
  parts_->recipe = personal_recipe(config, place.clients, parts, warnings);
  make_personal_round(config, parts_->recipe, parts);
  if (!parts.network || config.warm_up.epochs == 0) return;
  const Index first = problem.data.train_begin[place.part];
  parts_->whole = make_potential(*parts.network, {problem.data.train.view().slice(first, problem.rows[place.part]),
                                                  problem.data.train.y.data() + first});
}

PersonalSite::~PersonalSite() = default;

const Recipe& PersonalSite::recipe() const { return parts_->recipe; }
const ClientWork& PersonalSite::work() const { return parts_->model->work; }
Index PersonalSite::shared() const { return parts_->model->model->shared(); }
Index PersonalSite::latent() const { return parts_->model->model->latent(); }
std::vector<std::string> PersonalSite::labels() const { return parts_->model->labels(); }
Index PersonalSite::learnt() const {
  return is_baseline() ? parts_->model->work.shown : parts_->model->problem.dimension();
}
bool PersonalSite::has_posterior() const { return parts_->model->prior.has_value(); }
bool PersonalSite::is_baseline() const { return parts_->model->baseline; }
bool PersonalSite::classifies() const { return parts_->model->model->classifies(); }
std::shared_ptr<const Potential> PersonalSite::whole() const { return parts_->whole; }

SiteLatents PersonalSite::results(const Client& client, ConstPanelView learnt, ConstPanelView uncertainty) const {
  const PersonalParts& parts = *parts_->model;
  const auto& [part, index, clients, seed] = parts_->place;
  const OwnQuestion question{parts_->config.output.client_draws};
  const auto client_part = static_cast<Index>(part);
  SiteLatents out;
  out.shared_labels = parts.model->shared_labels();
  out.latent_labels = parts.model->latent_labels();
  if (parts.baseline) {
    const Panel position = parts.whole_position(learnt);
    std::vector<double> latents(static_cast<std::size_t>(parts.work.latents * learnt.columns));
    if (!latents.empty()) client.latents(position, 0, latents);
    out.own = point_of(parts, client_part, question, position, latents);
    out.average = parts.in_data_units(learnt);
    return out;
  }
  const OwnSeeds seeds{parts_->config.seed, latent_seed(seed, index)};
  Learnt at{copy_of(learnt), {}, has_posterior()};
  for (Index c = 0; c < uncertainty.columns; ++c)
    at.covariance.insert(at.covariance.end(), uncertainty.column(c).begin(), uncertainty.column(c).end());
  out.own = draw_own(parts, client_part, question, at, seeds);
  out.average = at.draws ? chain_means(parts.in_data_units(at.at), parts.problem.chains) : parts.in_data_units(at.at);
  if (at.covariance.empty() && !at.draws) return out;
  out.predictive = predictive_draws(parts, parts.train[part], at, question.draws * learnt.columns, seeds);
  if (at.draws) return out;
  const Index d = learnt.rows;
  out.covariance = at.covariance;
  out.own_covariance = std::move(at.covariance);
  parts.units.covariance_to_data({out.covariance.data(), d, d, d});
  return out;
}

}  // namespace pollen
