#include "engine_parts.h"

#include <cmath>

namespace pollen {

std::shared_ptr<const PersonalPotential> borrowed(const PersonalPotential& potential) {
  return {std::shared_ptr<const void>(), &potential};
}

PersonalClients::PersonalClients(const std::vector<const PersonalPotential*>& all)
    : at_([all](std::size_t client) { return borrowed(*all[client]); }) {
  auto sizes = std::make_shared<std::vector<Index>>();
  for (const PersonalPotential* client : all) sizes->push_back(client->rows());
  sizes_ = *sizes;
  own_sizes_ = std::move(sizes);
}

bool noise_ran_away(const PersonalPotential& client, std::span<const double> shared) {
  return client.learns_noise() && std::abs(shared.back()) > 100;
}

}  // namespace pollen
