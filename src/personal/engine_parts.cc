#include "personal/engine_parts.h"

#include <cmath>

namespace pollen {

std::vector<Index> client_sizes(const PersonalProblem& problem) {
  std::vector<Index> out;
  out.reserve(problem.clients.size());
  for (const PersonalPotential* client : problem.clients) out.push_back(client->rows());
  return out;
}

void archive_counters(Archive& archive, Counters& counters) {
  for (std::int64_t* count : {&counters.rounds, &counters.messages, &counters.uplink_bits, &counters.downlink_bits,
                              &counters.broadcast_bits, &counters.setup_bits, &counters.gradients})
    archive.field(*count);
  archive.field(counters.uplink_bits_bound);
}

bool noise_ran_away(const PersonalPotential& client, std::span<const double> shared) {
  return client.learns_noise() && std::abs(shared.back()) > 100;
}

}  // namespace pollen
