#include <algorithm>
#include <cmath>

#include "partition.h"
#include "pollen/random.h"

namespace pollen::data {

namespace {

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

}  // namespace

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

}  // namespace pollen::data
