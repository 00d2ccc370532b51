#include "exact_posterior.h"

namespace pollen {

void FederatedPosterior::ask(ConstPanelView at, PanelView out, Counters& counters) {
  Query query{Query::What::potential_gradient, at, {}};
  query.settled = settled_;
  link_.transport().query(query, out);
  exact::complete_answer({link_.setup().prior}, temperature(), at, out);
  count(at.columns, counters);
}

// Counts an exchange as a round: every client hears d numbers per chain and sends d + 1.
void FederatedPosterior::count(Index columns, Counters& counters) {
  const std::span<const Index> sizes = link_.setup().sizes;
  const auto clients = std::ssize(sizes);
  const std::int64_t down = 64 * dimension() * columns, up = down + 64 * columns;
  ++counters.rounds;
  counters.messages += clients * columns;
  counters.broadcast_bits += down;
  counters.downlink_bits += clients * down;
  counters.uplink_bits += clients * up;
  counters.uplink_bits_bound += static_cast<double>(clients * up);
  traffic_.open(clients);
  for (Index i = 0; i < clients; ++i) {
    const std::int64_t gradients = sizes[static_cast<std::size_t>(i)] * columns;
    counters.gradients += gradients;
    traffic_.add({.client = static_cast<std::uint32_t>(i), .down_bits = down, .gradients = gradients, .up_bits = up});
  }
  traffic_.close(true);
}

void FederatedPosterior::archive(Archive& archive) {
  traffic_.archive(archive, std::ssize(link_.setup().sizes));
  link_.host().archive(archive);
  link_.transport().archive(archive);
}

}  // namespace pollen
