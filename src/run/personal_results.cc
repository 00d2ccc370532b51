#include "run/personal_results.h"

#include "experiment_parts.h"
#include "own_draws.h"

namespace pollen {

std::vector<std::string> PersonalResults::latent_labels() const { return parts_.personal->model->latent_labels(); }
bool PersonalResults::predicts_classes() const { return parts_.personal->model->classifies(); }
Index PersonalResults::outputs() const { return parts_.personal->model->outputs(); }
bool PersonalResults::learns_average() const { return parts_.personal->model->identified(); }
bool PersonalResults::is_baseline() const { return parts_.personal->baseline; }
std::vector<std::size_t> PersonalResults::identified() const { return parts_.personal->identified(); }

Panel PersonalResults::learnt() const {
  const bool average = learns_average() && parts_.engine->iteration() > *parts_.config.run.burn_in;
  return copy_of(average ? averaged() : parts_.engine->position());
}

ConstPanelView PersonalResults::averaged() const {
  return parts_.approximation != nullptr ? parts_.approximation->average() : parts_.engine->position();
}

// Every client draws with a seed of its own, and a new client with the run's.
std::uint64_t PersonalResults::seed_of(std::optional<Index> client) const {
  return parts_.config.seed + 0x9e3779b97f4a7c15U * (client ? static_cast<std::uint64_t>(*client) + 1 : 0);
}

OwnDraws PersonalResults::own_draws(Index client, Index draws) const {
  if (is_baseline())
    return point_of(*parts_.personal, client, parts_.engine->position(), parts_.federation->latents().column(client));
  return draw_own(*parts_.personal, client, learnt(), draws, seed_of(client));
}

}  // namespace pollen
