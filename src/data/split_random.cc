// Partitioners that draw rows at random: iid and label-shards.
#include <algorithm>
#include <numeric>

#include "partition.h"
#include "pollen/random.h"

namespace pollen::data {

namespace {

// Returns where part k of `parts` begins among n rows. The sizes of the parts differ by at most one.
std::size_t cut(std::size_t n, std::size_t k, std::size_t parts) { return k * (n / parts) + std::min(k, n % parts); }

}  // namespace

std::vector<Rows> split_iid(std::uint32_t rows, std::uint32_t clients, std::uint64_t seed) {
  Sequence sequence(make_stream(seed, 0, Purpose::partition));
  const std::vector<std::uint32_t> order = permutation(sequence, rows);
  std::vector<Rows> parts(clients);
  for (std::size_t i = 0; i < clients; ++i) {
    parts[i].assign(order.data() + cut(rows, i, clients), order.data() + cut(rows, i + 1, clients));
    std::sort(parts[i].begin(), parts[i].end());
  }
  return parts;
}

std::vector<Rows> split_shards(const std::vector<std::uint32_t>& labels, std::uint32_t clients, std::uint32_t shards,
                               std::uint64_t seed) {
  Rows by_label(labels.size());
  std::iota(by_label.begin(), by_label.end(), 0u);
  std::stable_sort(by_label.begin(), by_label.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return labels[a] < labels[b]; });
  Sequence sequence(make_stream(seed, 0, Purpose::partition));
  const std::uint32_t total = clients * shards;
  const std::vector<std::uint32_t> order = permutation(sequence, total);
  std::vector<Rows> parts(clients);
  for (std::size_t k = 0; k < total; ++k) {
    Rows& part = parts[k / shards];
    part.insert(part.end(), by_label.data() + cut(labels.size(), order[k], total),
                by_label.data() + cut(labels.size(), order[k] + std::size_t{1}, total));
  }
  for (Rows& part : parts) std::sort(part.begin(), part.end());
  return parts;
}

}  // namespace pollen::data
