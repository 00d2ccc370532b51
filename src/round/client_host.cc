#include "round/client_host.h"

#include <algorithm>

#include "model/coordinates.h"
#include "pollen/archive.h"

namespace pollen {

namespace {

// Makes the compressors of the clients' messages: one for all, or one per client.
std::vector<std::unique_ptr<const Compressor>> compressors_of(const Recipe& recipe, Index dimension) {
  std::vector<std::unique_ptr<const Compressor>> compressors;
  const Uplink& up = recipe.up;
  if (up.per_client.empty()) compressors.push_back(make_compressor(up.compressor, dimension, up.whole_tail));
  for (const CompressorSpec& spec : up.per_client)
    compressors.push_back(make_compressor(spec, dimension, up.whole_tail));
  return compressors;
}

}  // namespace

Index longest_segment(Index dimension, Index chains) {
  return std::max<Index>(1, (Index{1} << 20) / (dimension * chains));
}

std::vector<double> local_weights(const LocalSteps& local, std::span<const Index> sizes) {
  if (!local.by_size) return {1 / static_cast<double>(sizes.size())};
  std::vector<double> weights(sizes.size());
  double total = 0;
  for (const Index n : sizes) total += static_cast<double>(n);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<double>(sizes[i]) / total;
  return weights;
}

bool learns(const Recipe& recipe, Index dimension) {
  const auto compressors = compressors_of(recipe, dimension);
  return std::ranges::any_of(compressors, [](const auto& compressor) { return compressor->learns(); });
}

void Clients::archive(Archive& archive) {
  Bytes bytes;
  for (std::size_t i = 0; i < size(); ++i) {
    if (!archive.reading() && has(i)) {
      (*this)[i].archive(archive);
      continue;
    }
    bytes.clear();
    archive_state(archive, bytes);
    if (!bytes.empty() || has(i)) (*this)[i].restore(bytes);
  }
}

ClientHost::ClientHost(const HostSetup& setup, std::size_t clients, MemberAt member)
    : view_(*setup.recipe, setup.dimension, setup.chains, setup.clients, {setup.seed, setup.own_seed, setup.code_seed}),
      compressors_(compressors_of(*setup.recipe, setup.dimension)),
      whole_(make_compressor({}, setup.dimension, 0)),
      clients_(
          clients,
          [this, setup, member = std::move(member)](std::size_t place) {
            const Recipe& recipe = *setup.recipe;
            const Member m = member(place);
            const auto* compressor = compressors_[compressors_.size() == 1 ? 0 : m.index].get();
            ClientParts parts{&recipe,    &view_.prior(), 0,         m.weight, setup.clients,
                              compressor, whole_.get(),   setup.work};
            if (!recipe.prior_on_server && !view_.prior().is_flat())
              parts.prior_share = recipe.local ? m.weight : 1 / static_cast<double>(setup.clients);
            std::shared_ptr<const Potential> potential = m.potential;
            if (recipe.preconditioned && potential)
              potential = in_coordinates(std::move(potential), view_.coordinates());
            return std::make_unique<Client>(m.index, std::move(potential), parts, setup.chains);
          },
          setup.light) {
  if (setup.prior != nullptr) view_.set_prior(*setup.prior);
}

void ClientHost::archive(Archive& archive) {
  view_.archive(archive);
  clients_.archive(archive);
}

}  // namespace pollen
