#include "pollen/fleet.h"

#include <algorithm>

#include "pollen/archive.h"

namespace pollen {

Index longest_leg(Index dimension, Index chains) { return std::max<Index>(1, (Index{1} << 20) / (dimension * chains)); }

std::vector<double> local_weights(const LocalSteps& local, std::span<const Index> sizes) {
  std::vector<double> weights(sizes.size(), 1 / static_cast<double>(sizes.size()));
  if (!local.by_size) return weights;
  double total = 0;
  for (const Index n : sizes) total += static_cast<double>(n);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<double>(sizes[i]) / total;
  return weights;
}

std::vector<std::unique_ptr<const Compressor>> compressors_of(const Recipe& recipe, Index dimension) {
  std::vector<std::unique_ptr<const Compressor>> compressors;
  if (recipe.up.per_client.empty()) compressors.push_back(make_compressor(recipe.up.compressor, dimension));
  for (const CompressorSpec& spec : recipe.up.per_client) compressors.push_back(make_compressor(spec, dimension));
  return compressors;
}

Fleet::Fleet(const FleetSetup& setup, std::span<const Member> members)
    : station_(*setup.recipe, setup.dimension, setup.chains, setup.clients, {setup.seed, setup.own_seed}),
      compressors_(compressors_of(*setup.recipe, setup.dimension)),
      whole_(make_compressor({}, setup.dimension)) {
  const Recipe& recipe = *setup.recipe;
  clients_.reserve(members.size());
  for (const Member& member : members) {
    const auto* compressor = compressors_[compressors_.size() == 1 ? 0 : member.index].get();
    ClientParts parts{&recipe, setup.prior, 0, member.weight, setup.clients, compressor, whole_.get()};
    if (!recipe.prior_on_server && !setup.prior->precision.empty())
      parts.prior_share = recipe.local ? member.weight : 1 / static_cast<double>(setup.clients);
    clients_.emplace_back(member.index, *member.potential, parts, setup.chains);
  }
}

void Fleet::archive(Archive& archive) {
  station_.archive(archive);
  for (Client& client : clients_) client.archive(archive);
}

}  // namespace pollen
