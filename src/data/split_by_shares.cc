// Partitioners that deal out shares of labels, with the checks of these shares.
#include <fmt/format.h>

#include "partition.h"
#include "phrases.h"
#include "pollen/errors.h"
#include "shares.h"

namespace pollen::data {

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
