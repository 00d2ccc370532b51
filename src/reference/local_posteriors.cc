#include "local_posteriors.h"

#include <utility>

#include "pollen/errors.h"

namespace pollen::reference {

LocalPosteriors::LocalPosteriors(const Chains& chains, const ReferenceSettings& settings, const Options& options) {
  exact::Setup setup{.kernel = settings.local_kernel,
                     .dimension = chains.problem.dimension,
                     .chains = chains.count(),
                     .seed = chains.problem.seed,
                     .settings = settings};
  setup.settings.step.reset();
  setup.settings.warm_up = options.warm_up;
  for (const Potential* potential : chains.problem.clients) {
    auto client = std::make_unique<Client>(Client{
        exact::HeldPosterior({potential}, {chains.problem.prior, options.prior_share}, options.temperature),
        exact::Fleet(setup, options.temperature), RunningCovariance(chains.problem.dimension, settings.diagonal)});
    clients_.push_back(std::move(client));
    ++setup.client;
  }
}

void LocalPosteriors::start(const Chains& chains) {
  for (auto& client : clients_) client->fleet.start(chains.position);
}

void LocalPosteriors::iterate(Chains& chains) {
  for (Index i = 0; i < std::ssize(clients_); ++i) {
    Client& client = *clients_[static_cast<std::size_t>(i)];
    Counters cost;
    client.fleet.advance(client.posterior, cost);
    chains.counters.gradients += cost.gradients;
    chains.add_gradients(i, cost.gradients);
  }
}

void LocalPosteriors::collect() {
  for (auto& client : clients_)
    for (Index c = 0; c < client->fleet.chains(); ++c) client->moments.add(client->fleet.position().column(c));
}

Symmetric LocalPosteriors::precision(Index client) const {
  auto inverse = moments(client).covariance().inverse();
  if (!inverse)
    throw NumericError("a client's local draws have no invertible covariance; try a longer burn_in or diagonal = true",
                       clients_.front()->fleet.iteration(), client);
  return std::move(*inverse);
}

void LocalPosteriors::archive(Archive& archive) {
  for (auto& client : clients_) {
    client->fleet.archive(archive);
    client->moments.archive(archive);
  }
}

}  // namespace pollen::reference
