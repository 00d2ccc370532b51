#include "tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/site_doubts.h"
#include "pollen/errors.h"

namespace pollen::data {

namespace {

// Allocates zeros for `rows` rows.
void lay_out(const Filling& filling, Index rows, Table& table) {
  table.rows = rows;
  table.columns = filling.encoding.width + (filling.intercept ? 1 : 0);
  table.stride = padded(table.columns);
  table.x = filling.memory(static_cast<std::size_t>(rows * table.stride));
  table.y = filling.memory(filling.encoding.y.empty() ? 0 : static_cast<std::size_t>(rows));
}

// Writes `rows` of the source into the table, starting at row `at`.
void put(const Filling& filling, const Rows& rows, Index at, Table& table) {
  double* out = table.x.data() + at * table.stride;
  for (std::size_t k = 0; k < rows.size(); ++k, out += table.stride) {
    if (filling.intercept) out[0] = 1.0;
    filling.encoding.write(filling.raw, rows[k], out + (filling.intercept ? 1 : 0));
    if (!table.y.empty()) table.y[static_cast<std::size_t>(at) + k] = filling.encoding.y[rows[k]];
  }
}

std::vector<Index> begins(const std::vector<Rows>& clients) {
  std::vector<Index> begin{0};
  begin.reserve(clients.size() + 1);
  for (const Rows& rows : clients) begin.push_back(begin.back() + std::ssize(rows));
  return begin;
}

void fill_missing(Index first, const std::vector<double>& mean, Table& table) {
  for (Index r = 0; r < table.rows; ++r) {
    double* x = table.x.data() + r * table.stride + first;
    for (std::size_t j = 0; j < mean.size(); ++j)
      if (std::isnan(x[j])) x[j] = mean[j];
  }
}

std::int64_t level_exchange(const Levels& levels, const std::vector<Rows>& clients) {
  if (levels.given || levels.names.empty()) return 0;
  std::int64_t whole = 0;
  for (const std::string& name : levels.names) whole += bits_of_level(name);
  std::int64_t bits = whole * std::ssize(clients);
  std::vector<std::size_t> seen(levels.names.size(), clients.size());
  for (std::size_t i = 0; i < clients.size(); ++i)
    for (const std::uint32_t r : clients[i])
      if (std::size_t& last = seen[levels.of_row[r]]; last != i) {
        last = i;
        bits += bits_of_level(levels.names[levels.of_row[r]]);
      }
  return bits;
}

}  // namespace

void fill_table(const Filling& filling, Table& out) {
  Rows rows(filling.raw.rows.size());
  std::iota(rows.begin(), rows.end(), 0u);
  lay_out(filling, std::ssize(rows), out);
  put(filling, rows, 0, out);
}

// Fills the tables client after client, so that rows which are generated on demand are generated once.
void fill_tables(const Filling& filling, const Holdout& holdout, Federation& federation) {
  federation.train_begin = begins(holdout.train);
  federation.test_begin = begins(holdout.test);
  lay_out(filling, federation.train_begin.back(), federation.train);
  lay_out(filling, federation.test_begin.back(), federation.test);
  for (std::size_t i = 0; i < holdout.train.size(); ++i) {
    put(filling, holdout.train[i], federation.train_begin[i], federation.train);
    put(filling, holdout.test[i], federation.test_begin[i], federation.test);
  }
  if (filling.intercept) federation.feature_names.push_back("intercept");
  const std::vector<std::string>& names = filling.encoding.names;
  federation.feature_names.insert(federation.feature_names.end(), names.begin(), names.end());
}

// Rows move towards the beginning of the memory they have, so that a table in a mapped file stays there.
void leave_out(const std::vector<std::int64_t>& places, Index first, Table& table) {
  if (places.empty() || table.columns == 0) return;
  std::vector<Index> kept;
  for (Index c = 0; c < table.columns; ++c)
    if (!std::ranges::binary_search(places, c - first)) kept.push_back(c);
  const Index columns = std::ssize(kept), stride = padded(columns);
  for (Index r = 0; r < table.rows; ++r) {
    const double* from = table.x.data() + r * table.stride;
    double* to = table.x.data() + r * stride;
    for (Index k = 0; k < columns; ++k) to[k] = from[kept[static_cast<std::size_t>(k)]];
    std::fill(to + columns, to + stride, 0.0);
  }
  const auto numbers = static_cast<std::size_t>(table.rows * stride);
  if (table.x.is_mapped())
    table.x = table.x.part(0, numbers);
  else
    table.x.resize(numbers);
  table.columns = columns;
  table.stride = stride;
}

void impute_means(const std::string& where, Federation& federation) {
  const Index first = federation.intercept ? 1 : 0;
  const Table& train = federation.train;
  const auto p = static_cast<std::size_t>(train.columns - first);
  std::vector<double> count(p), sum(p), client_count(p), client_sum(p);
  for (Index i = 0; i < federation.clients(); ++i) {
    client_count.assign(p, 0.0);
    client_sum.assign(p, 0.0);
    for (Index r = federation.train_begin[static_cast<std::size_t>(i)];
         r < federation.train_begin[static_cast<std::size_t>(i) + 1]; ++r) {
      const double* x = train.x.data() + r * train.stride + first;
      for (std::size_t j = 0; j < p; ++j) {
        if (std::isnan(x[j])) continue;
        client_count[j] += 1.0;
        client_sum[j] += x[j];
      }
    }
    for (std::size_t j = 0; j < p; ++j) count[j] += client_count[j];
    for (std::size_t j = 0; j < p; ++j) sum[j] += client_sum[j];
  }
  Problems problems;
  for (std::size_t j = 0; j < p; ++j) {
    if (count[j] == 0.0)
      problems.add(fmt::format("{}: column {}", where, federation.feature_names[static_cast<std::size_t>(first) + j]),
                   "found no training row with a value, accepted: at least one (data.features leaves columns out)");
    sum[j] /= count[j];
  }
  problems.raise();
  for (Table* table : {&federation.train, &federation.test, &federation.ood, &federation.distill})
    fill_missing(first, sum, *table);
  federation.setup_bits += 64 * federation.clients() * 3 * static_cast<std::int64_t>(p);
}

bool are_sites(const DataSpec& spec, Index clients) {
  constexpr Index kMostSites = 1000;
  return clients > 1 && clients <= kMostSites && (spec.partition == "given" || spec.partition == "by-column");
}

std::vector<std::string> site_notes(const PartitionInput& input, const Clients& clients) {
  if (!are_sites(input.spec, std::ssize(clients.rows))) return {};
  const auto found = [](const Levels& levels, const Rows& rows) {
    std::vector<bool> has(levels.names.size());
    for (const std::uint32_t r : rows) has[levels.of_row[r]] = true;
    std::vector<std::string> names;
    for (std::size_t l = 0; l < has.size(); ++l)
      if (has[l]) names.push_back(levels.names[l]);
    return names;
  };
  std::vector<ColumnFacts> all;
  for (const Rows& rows : clients.rows) {
    ColumnFacts& facts = all.emplace_back();
    for (const Feature& feature : input.encoding.features)
      if (feature.text) facts.levels[input.table.columns[feature.column].name] = found(feature.levels, rows);
    if (input.roles.target < 0 || input.encoding.classes.names.empty()) continue;
    facts.target = input.table.columns[static_cast<std::size_t>(input.roles.target)].name;
    facts.levels[facts.target] = found(input.encoding.classes, rows);
  }
  std::vector<std::string> notes = level_doubts(all, clients.names);
  const std::vector<std::string> labels = label_doubts(all, {}, clients.names);
  notes.insert(notes.end(), labels.begin(), labels.end());
  return notes;
}

std::int64_t bits_of_level(const std::string& name) { return 8 * (std::ssize(name) + 1); }

std::int64_t exchange_bits(const Encoding& encoding, const std::vector<Rows>& clients) {
  if (clients.size() < 2) return 0;
  std::int64_t bits = level_exchange(encoding.classes, clients);
  for (const Feature& feature : encoding.features) bits += level_exchange(feature.levels, clients);
  return bits;
}

}  // namespace pollen::data
