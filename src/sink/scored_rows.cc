#include "sink/scored_rows.h"

#include <algorithm>

#include "numbers.h"

namespace pollen::sink {

namespace {

// Copies evenly spaced rows of a table. Client i has the rows from begin[i] on.
ScoredRows evenly_spaced(const Table& from, const std::vector<Index>& begin, Index most) {
  const Index fit = std::max<Index>(1, kScoredCells / std::max<Index>(1, from.stride));
  const Index count = std::min({from.rows, most, fit});
  ScoredRows out;
  out.in_all = from.rows;
  out.rows.rows = count;
  out.rows.columns = from.columns;
  out.rows.stride = from.stride;
  out.rows.x = Numbers(at(count * from.stride));
  out.rows.y = Numbers(at(count));
  std::size_t client = 0;
  for (Index r = 0; r < count; ++r) {
    const Index row = r * from.rows / count;
    std::copy_n(from.view().row(row), from.stride, out.rows.x.data() + r * from.stride);
    out.rows.y[at(r)] = from.y[at(row)];
    while (client + 1 < begin.size() && row >= begin[client + 1]) ++client;
    out.client.push_back(client + 1 < begin.size() ? static_cast<Index>(client) : -1);
  }
  return out;
}

}  // namespace

ScoredRows scored_rows(const Federation& data, bool training, Index most) {
  if (data.test.rows > 0 && !data.test.y.empty()) return evenly_spaced(data.test, data.test_begin, most);
  const bool here = data.clients() > 0 && data.train.rows > 0 && data.train.rows == data.train_begin.back();
  if (!training || !here || data.train.y.empty()) return {};
  ScoredRows out = evenly_spaced(data.train, data.train_begin, most);
  out.training = true;
  return out;
}

}  // namespace pollen::sink
