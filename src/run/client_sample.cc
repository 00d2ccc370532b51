#include "client_sample.h"

#include <numeric>

#include "pollen/random.h"

namespace pollen {

ClientSample draw_clients(std::uint64_t seed, std::uint64_t number, std::span<const Index> rows, Index count) {
  ClientSample sample;
  const auto clients = std::ssize(rows);
  if (count <= 0 || count >= clients) return sample;
  Stream stream = make_stream(seed, 0, Purpose::curvature_sample);
  stream.round = number;
  Sequence sequence(stream);
  sample_without_replacement(sequence, static_cast<std::uint32_t>(clients), static_cast<std::uint32_t>(count),
                             sample.who);
  double asked = 0;
  for (const std::uint32_t i : sample.who) asked += static_cast<double>(rows[i]);
  sample.by_rows = static_cast<double>(std::accumulate(rows.begin(), rows.end(), Index{0})) / asked;
  sample.by_clients = static_cast<double>(clients) / static_cast<double>(count);
  return sample;
}

}  // namespace pollen
