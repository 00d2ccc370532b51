#include <algorithm>
#include <numeric>

#include "pollen/privacy.h"

namespace pollen {

PrivacyClients privacy_clients(std::span<const Index> rows, std::span<const Index> batches) {
  PrivacyClients result;
  result.count = static_cast<Index>(rows.size());
  if (rows.empty()) return result;
  const auto total = static_cast<double>(std::accumulate(rows.begin(), rows.end(), Index{0}));
  for (std::size_t c = 0; c < rows.size(); ++c) {
    const auto own = static_cast<double>(rows[c]);
    result.distinct.push_back({own / total, static_cast<double>(std::min(batches[c], rows[c])) / own});
  }
  auto& all = result.distinct;
  const auto key = [](const PrivacyClient& a) { return std::pair(a.share, a.rate); };
  std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  all.erase(std::unique(all.begin(), all.end()), all.end());
  result.min_share = all.front().share;
  result.max_share = all.back().share;
  result.min_rate_squared_share = all.front().rate * all.front().rate * all.front().share;
  for (const PrivacyClient& c : all) {
    result.min_rate_squared_share = std::min(result.min_rate_squared_share, c.rate * c.rate * c.share);
    result.max_rate = std::max(result.max_rate, c.rate);
  }
  return result;
}

}  // namespace pollen
