#include "client_gradients.h"

#include <utility>

namespace pollen::reference {

ClientGradients::ClientGradients(const Chains& chains, const Batch& batch, std::vector<double> prior_share)
    : prior_share_(std::move(prior_share)), everyone_(everyone(chains.count())) {
  for (const Potential* client : chains.problem.clients)
    oracles_.push_back(make_oracle("minibatch", *client, batch.of(client->rows()), chains.count()));
  for (Index c = 0; c < chains.count(); ++c) minibatch_.push_back(chains.stream(c, Purpose::minibatch));
}

void ClientGradients::estimate(Chains& chains, Index client, std::uint64_t draw, ConstPanelView at, PanelView out) {
  const auto i = static_cast<std::size_t>(client);
  const OracleInput input{at, everyone_, {}, {}, minibatch_, draw, static_cast<std::uint32_t>(client)};
  evaluate(chains, input, out);
  for (Index c = 0; c < chains.count(); ++c)
    chains.problem.prior->add_gradient(at.column(c), prior_share_[i], out.column(c));
}

void ClientGradients::estimate_likelihood(Chains& chains, Index client, Index chain, std::uint64_t draw,
                                          std::span<double> out) {
  const auto c = static_cast<std::size_t>(chain);
  const Index d = chains.problem.dimension;
  const ConstPanelView at{chains.position.column(chain).data(), d, 1, d};
  const OracleInput input{at, {&everyone_[c], 1}, {}, {}, minibatch_, draw, static_cast<std::uint32_t>(client)};
  evaluate(chains, input, {out.data(), d, 1, d});
}

void ClientGradients::evaluate(Chains& chains, const OracleInput& input, const PanelView& out) {
  const std::int64_t evaluated = oracles_[input.client]->estimate(input, out, chains.work);
  chains.counters.gradients += evaluated;
  chains.add_gradients(static_cast<Index>(input.client), evaluated);
}

}  // namespace pollen::reference
