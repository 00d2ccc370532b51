#include "local_posteriors.h"

#include <utility>

#include "pollen/errors.h"

namespace pollen::reference {

namespace {

ReferenceProblem part(const ReferenceProblem& problem, Index client, double temperature) {
  ReferenceProblem own = problem;
  own.clients = {problem.clients[static_cast<std::size_t>(client)]};
  own.temperature = temperature;
  return own;
}

}  // namespace

LocalPosteriors::Client::Client(const Chains& run, Index own, bool diagonal, double temperature)
    : chains(part(run.problem, own, temperature), static_cast<std::uint32_t>(own)),
      moments(run.problem.dimension, diagonal) {}

LocalPosteriors::LocalPosteriors(const Chains& chains, const ReferenceSettings& settings, const Options& options) {
  ReferenceSettings own = settings;
  own.step.reset();
  own.warm_up = options.warm_up;
  for (Index i = 0; i < chains.clients(); ++i) {
    auto client = std::make_unique<Client>(chains, i, settings.diagonal, options.temperature);
    Target target(borrowed(*client->chains.problem.clients.front()), {chains.problem.prior, options.prior_share},
                  options.temperature);
    client->kernel = settings.local_kernel == "mala" ? make_mala(client->chains, own, std::move(target))
                                                     : make_nuts(client->chains, own, std::move(target));
    clients_.push_back(std::move(client));
  }
}

void LocalPosteriors::start(const Chains& chains) {
  for (auto& client : clients_) {
    copy_into(chains.position, client->chains.position);
    client->kernel->start(client->chains);
  }
}

void LocalPosteriors::iterate(Chains& chains) {
  for (auto& client : clients_) {
    client->kernel->iterate(client->chains);
    ++client->chains.iteration;
    const std::int64_t evaluated = std::exchange(client->chains.counters.gradients, 0);
    chains.counters.gradients += evaluated;
    chains.add_gradients(static_cast<Index>(client->chains.client), evaluated);
  }
}

void LocalPosteriors::collect() {
  for (auto& client : clients_)
    for (Index c = 0; c < client->chains.count(); ++c) client->moments.add(client->chains.position.column(c));
}

Symmetric LocalPosteriors::precision(Index client) const {
  auto inverse = moments(client).covariance().inverse();
  if (!inverse)
    throw NumericError("a client's local draws have no invertible covariance; try a longer burn_in or diagonal = true",
                       clients_.front()->chains.iteration, client);
  return std::move(*inverse);
}

void LocalPosteriors::archive(Archive& archive) {
  for (auto& client : clients_) {
    client->chains.archive(archive);
    client->kernel->archive(archive);
    client->moments.archive(archive);
  }
}

}  // namespace pollen::reference
