#include "test_split.h"

#include <algorithm>
#include <cmath>

#include "pollen/random.h"

namespace pollen::data {

namespace {

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

Holdout hold_out(const std::vector<Rows>& clients, const std::vector<std::uint32_t>& labels, double fraction,
                 std::uint64_t seed, std::uint32_t first_client) {
  Holdout holdout{clients, std::vector<Rows>(clients.size())};
  Stream stream = make_stream(seed, 0, Purpose::test_split);
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const std::uint64_t n = clients[i].size();
    const auto wanted = static_cast<std::uint64_t>(std::floor(fraction * static_cast<double>(n)));
    const std::uint64_t k = std::min(wanted, n - 1);
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
