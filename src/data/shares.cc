#include "shares.h"

#include <algorithm>
#include <cmath>

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

}  // namespace pollen::data
