#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/phrases.h"
#include "partition.h"
#include "pollen/errors.h"
#include "pollen/random.h"

namespace pollen::data {

namespace {

constexpr std::uint32_t kChoosing = 1;  // the step of the random stream that chooses labels

std::vector<std::uint32_t> order_of(Sequence& sequence, std::size_t n) {
  return permutation(sequence, static_cast<std::uint32_t>(n));
}

}  // namespace

double Shares::total(std::size_t label) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < clients; ++i) sum += at(i, label);
  return sum;
}

Shares dominant_label(std::size_t clients, std::size_t labels, double dominant, double other) {
  Shares shares(clients, labels);
  for (std::size_t i = 0; i < clients; ++i)
    for (std::size_t y = 0; y < labels; ++y) shares.at(i, y) = i % labels == y ? dominant : other;
  return shares;
}

Shares label_pairs(std::size_t clients, std::size_t labels, double dominant) {
  Shares shares(clients, labels);
  for (std::size_t y = 0; y < labels; ++y) {
    const std::size_t own = clients / labels + (y < clients % labels ? 1 : 0);
    const std::size_t others = clients - own;
    const double kept = own == 0 ? 0.0 : others == 0 ? 1.0 : dominant;
    for (std::size_t i = 0; i < clients; ++i)
      shares.at(i, y) = i % labels == y ? kept / static_cast<double>(own) : (1.0 - kept) / static_cast<double>(others);
  }
  return shares;
}

Shares classes_per_client(std::size_t clients, std::size_t labels, std::size_t chosen, std::uint64_t seed) {
  Shares shares(clients, labels);
  Stream stream = make_stream(seed, 0, Purpose::partition);
  stream.step = kChoosing;
  Sequence sequence(stream);
  std::vector<std::size_t> times(labels);
  // Gives client i the labels that were given least often so far, ties at random.
  for (std::size_t i = 0; i < clients; ++i) {
    std::vector<std::uint32_t> order = order_of(sequence, labels);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return times[a] < times[b]; });
    for (std::size_t k = 0; k < chosen; ++k) {
      shares.at(i, order[k]) = 1.0;
      ++times[order[k]];
    }
  }
  for (std::size_t i = 0; i < clients; ++i)
    for (std::size_t y = 0; y < labels; ++y)
      if (times[y] > 0) shares.at(i, y) /= static_cast<double>(times[y]);
  return shares;
}

std::vector<Rows> deal(const std::vector<std::uint32_t>& labels, const Shares& shares, std::uint64_t seed) {
  const std::vector<Rows> of_label = rows_by_label(labels);
  std::vector<Rows> clients(shares.clients);
  Stream stream = make_stream(seed, 0, Purpose::partition);
  for (std::size_t y = 0; y < of_label.size(); ++y) {
    const Rows& rows = of_label[y];
    stream.client = static_cast<std::uint32_t>(y);
    Sequence sequence(stream);
    const std::vector<std::uint32_t> order = order_of(sequence, rows.size());
    double running = 0.0;
    std::size_t at = 0;
    // The running sum is rounded, so that all shares of a label add up. Clients come in random order, so that none
    // gains by the rounding.
    for (const std::uint32_t i : order_of(sequence, shares.clients)) {
      running += shares.at(i, y);
      const double end = std::floor(running * static_cast<double>(rows.size()) + 0.5);
      for (; at < rows.size() && static_cast<double>(at) < end; ++at) clients[i].push_back(rows[order[at]]);
    }
  }
  for (Rows& client : clients) std::sort(client.begin(), client.end());
  return clients;
}

namespace {

constexpr double kRounding = 1e-9;  // tolerance for a sum of shares

void check_total(const PartitionInput& input, const Shares& shares) {
  for (std::size_t y = 0; y < shares.labels; ++y) {
    const double total = shares.total(y);
    if (total <= 1.0 + kRounding) continue;
    throw ConfigError(
        key(input.where, "dominant_share"),
        fmt::format(
            "found {}, with which (data.other_share being {}) {} clients take {:.6g} of the label {}, accepted: "
            "shares that sum to at most 1 for each label",
            *input.spec.dominant_share, input.spec.other_share, shares.clients, total,
            in_quotes(input.encoding.classes.names[y])));
  }
}

Shares shares_of(const PartitionInput& input) {
  const auto clients = static_cast<std::size_t>(*input.spec.clients);
  const std::size_t labels = input.encoding.classes.names.size();
  if (input.spec.partition == "label-pairs") return label_pairs(clients, labels, *input.spec.dominant_share);
  if (input.spec.partition == "dominant-label") {
    Shares shares = dominant_label(clients, labels, *input.spec.dominant_share, input.spec.other_share);
    check_total(input, shares);
    return shares;
  }
  if (input.spec.classes_per_client > static_cast<Index>(labels))
    throw ConfigError(key(input.where, "classes_per_client"),
                      fmt::format("found {}, accepted: at most the {} labels", input.spec.classes_per_client, labels));
  return classes_per_client(clients, labels, static_cast<std::size_t>(input.spec.classes_per_client), input.seed);
}

}  // namespace

std::vector<Rows> by_shares(const PartitionInput& input, std::vector<std::string>& notes) {
  std::vector<Rows> clients = deal(input.encoding.classes.of_row, shares_of(input), input.seed);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < clients.size(); ++i) {
    kept += clients[i].size();
    if (clients[i].empty())
      throw ConfigError(key(input.where, "partition"),
                        fmt::format("found \"{}\", which leaves client {} of {} without rows, accepted: fewer clients, "
                                    "or larger shares of more rows",
                                    input.spec.partition, i + 1, clients.size()));
  }
  if (const std::size_t rows = input.table.rows.size(); kept < rows)
    notes.push_back(fmt::format("partition: {} of {} rows are in no client: the shares of a label sum to less than 1",
                                rows - kept, rows));
  return clients;
}

}  // namespace pollen::data
