// Splits that draw rows at random: the partitions iid, label-shards and dirichlet, and the test rows of each client.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "partition.h"
#include "pollen/random.h"

namespace pollen::data {

namespace {

// Returns where part k of `parts` begins among n rows. The sizes of the parts differ by at most one.
std::size_t cut(std::size_t n, std::size_t k, std::size_t parts) { return k * (n / parts) + std::min(k, n % parts); }

// Draws the clients' shares and returns where their parts of n rows end. If every Gamma draw underflows (for a tiny
// alpha), one client gets all rows, which is the limit of the law.
std::vector<std::size_t> draw_ends(Sequence& sequence, const DirichletOptions& options, std::size_t n) {
  std::vector<double> share(options.clients);
  double total = 0.0;
  for (double& s : share) total += s = sequence.gamma(options.alpha);
  if (!(total > 0.0)) {
    share[static_cast<std::size_t>(sequence.below(options.clients))] = 1.0;
    total = 1.0;
  }
  std::vector<std::size_t> ends(options.clients, n);
  double running = 0.0;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    running += share[i];
    ends[i] = std::min(n, static_cast<std::size_t>(std::floor(running / total * static_cast<double>(n) + 0.5)));
  }
  return ends;
}

std::vector<Rows> draw(const std::vector<Rows>& of_label, const DirichletOptions& options, Stream stream) {
  std::vector<Rows> clients(options.clients);
  for (std::size_t label = 0; label < of_label.size(); ++label) {
    const Rows& rows = of_label[label];
    if (rows.empty()) continue;
    stream.client = static_cast<std::uint32_t>(label);
    Sequence sequence(stream);
    const std::vector<std::uint32_t> order = permutation(sequence, static_cast<std::uint32_t>(rows.size()));
    const std::vector<std::size_t> ends = draw_ends(sequence, options, rows.size());
    std::size_t at = 0;
    for (std::size_t i = 0; i < clients.size(); ++i)
      for (; at < ends[i]; ++at) clients[i].push_back(rows[order[at]]);
  }
  return clients;
}

// Gives every empty client the last row of whichever client is the largest at that moment. Returns the number of rows
// moved.
std::size_t fill_empty(std::vector<Rows>& clients) {
  std::size_t moved = 0;
  for (Rows& client : clients) {
    if (!client.empty()) continue;
    Rows& largest = *std::max_element(clients.begin(), clients.end(),
                                      [](const Rows& a, const Rows& b) { return a.size() < b.size(); });
    client.push_back(largest.back());
    largest.pop_back();
    ++moved;
  }
  return moved;
}

bool any_empty(const std::vector<Rows>& clients) {
  return std::any_of(clients.begin(), clients.end(), [](const Rows& rows) { return rows.empty(); });
}

// Returns the rows sorted by label and shuffled within each label.
Rows arranged(const Rows& rows, const std::vector<std::uint32_t>& labels, Sequence& sequence) {
  const std::vector<std::uint32_t> order = permutation(sequence, static_cast<std::uint32_t>(rows.size()));
  Rows shuffled(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) shuffled[k] = rows[order[k]];
  if (!labels.empty())
    std::stable_sort(shuffled.begin(), shuffled.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return labels[a] < labels[b]; });
  return shuffled;
}

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

DirichletSplit split_dirichlet(const std::vector<std::uint32_t>& labels, const DirichletOptions& options,
                               std::uint64_t seed) {
  const std::vector<Rows> of_label = rows_by_label(labels);
  DirichletSplit split;
  Stream stream = make_stream(seed, 0, Purpose::partition);
  split.clients = draw(of_label, options, stream);
  while (any_empty(split.clients) && split.redraws < options.most_redraws) {
    stream.round = static_cast<std::uint64_t>(++split.redraws);
    split.clients = draw(of_label, options, stream);
  }
  if (any_empty(split.clients)) split.moved = fill_empty(split.clients);
  for (Rows& client : split.clients) std::sort(client.begin(), client.end());
  return split;
}

Index held_out(Index rows, double fraction) {
  return std::min(static_cast<Index>(std::floor(fraction * static_cast<double>(rows))), rows - 1);
}

Holdout hold_out(const std::vector<Rows>& clients, const std::vector<std::uint32_t>& labels, double fraction,
                 std::uint64_t seed, std::uint32_t first_client) {
  Holdout holdout{clients, std::vector<Rows>(clients.size())};
  Stream stream = make_stream(seed, 0, Purpose::test_split);
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const std::uint64_t n = clients[i].size();
    const auto k = static_cast<std::uint64_t>(held_out(std::ssize(clients[i]), fraction));
    if (k == 0) continue;
    stream.client = first_client + static_cast<std::uint32_t>(i);
    Sequence sequence(stream);
    const Rows rows = arranged(clients[i], labels, sequence);
    std::uint64_t credit = sequence.below(n);  // a row is taken whenever the credit reaches n
    Rows& train = holdout.train[i];
    train.clear();
    for (const std::uint32_t row : rows) {
      credit += k;
      (credit >= n ? holdout.test[i] : train).push_back(row);
      if (credit >= n) credit -= n;
    }
    std::sort(train.begin(), train.end());
    std::sort(holdout.test[i].begin(), holdout.test[i].end());
  }
  return holdout;
}

}  // namespace pollen::data
