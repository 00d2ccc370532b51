// Clients whose replies are of another size than the others', for warnings.
#include <fmt/format.h>

#include <algorithm>

#include "federation/federation.h"

namespace pollen {

std::vector<std::pair<std::uint32_t, std::string>> odd_replies(const RoundStatistics& statistics,
                                                               const ConnectionRegistry& registry) {
  constexpr double kOdd = 1000;
  constexpr std::size_t kLeast = 3;  // clients, so that there is a median to compare with
  std::vector<std::pair<double, std::uint32_t>> sizes;
  for (std::uint32_t i = 0; i < statistics.clients.size(); ++i) {
    const ClientStatistics& client = statistics.clients[i];
    if (client.turns == 0) continue;
    const double rows = statistics.sums ? static_cast<double>(registry.sites()[i].rows) : 1;
    sizes.emplace_back(client.size / static_cast<double>(client.turns) / rows, i);
  }
  if (sizes.size() < kLeast) return {};
  std::ranges::sort(sizes);
  const double median = sizes[sizes.size() / 2].first;
  std::vector<std::pair<std::uint32_t, std::string>> odd;
  for (const auto& [size, client] : sizes) {
    const bool large = size > kOdd * median;
    if (median <= 0 || (!large && size * kOdd >= median)) continue;
    odd.emplace_back(client,
                     fmt::format("the numbers in {}'s replies are {:.1e} times {} than those of the median site{}; "
                                 "are its columns in the units of the others?",
                                 registry.names()[client], large ? size / median : median / size,
                                 large ? "larger" : "smaller", statistics.sums ? ", per row" : ""));
  }
  return odd;
}

}  // namespace pollen
