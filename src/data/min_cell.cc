#include "min_cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "data/phrases.h"
#include "pollen/errors.h"

namespace pollen::data {

namespace {

constexpr const char* kOther = "other";

using Counts = std::vector<Index>;  // by label; one entry if there are no labels

// Returns whether a group of rows is large enough or empty, and the rest of the rows too, for every label.
bool large_enough(const Counts& group, const Counts& all, Index least) {
  for (std::size_t y = 0; y < all.size(); ++y) {
    const Index rest = all[y] - group[y];
    if ((group[y] > 0 && group[y] < least) || (rest > 0 && rest < least)) return false;
  }
  return true;
}

Index total(const Counts& counts) {
  Index sum = 0;
  for (const Index count : counts) sum += count;
  return sum;
}

void add(const Counts& more, Counts& to) {
  for (std::size_t y = 0; y < to.size(); ++y) to[y] += more[y];
}

// Decides what the levels of one column count as at one client.
class LevelPool {
 public:
  LevelPool(std::vector<Counts> levels, const Counts& all, Index least)
      : levels_(std::move(levels)), all_(all), least_(least) {}

  // Returns what each level counts as. `other` is the place of "other", or of a level that is not there yet if it may
  // be added, or -1.
  std::vector<std::size_t> decide(Index other) const {
    std::vector<std::size_t> as(levels_.size());
    for (std::size_t l = 0; l < as.size(); ++l) as[l] = l;
    const std::size_t most = commonest();
    std::vector<std::size_t> rare;
    for (std::size_t l = 0; l < as.size(); ++l)
      if (l != most && !large_enough(levels_[l], all_, least_)) rare.push_back(l);
    // A level that stands for few rows is never named, not even if it is the commonest.
    if (other >= 0 && total(levels_[most]) < least_) {
      std::ranges::fill(as, static_cast<std::size_t>(other));
      return as;
    }
    const bool most_fits = large_enough(levels_[most], all_, least_);
    if (rare.empty() && most_fits) return as;
    if (most_fits && other >= 0 && fits(rare, static_cast<std::size_t>(other)))
      for (const std::size_t l : rare) as[l] = static_cast<std::size_t>(other);
    else if (fits(rare, most))
      for (const std::size_t l : rare) as[l] = most;
    else
      std::ranges::fill(as, most);
    return as;
  }

 private:
  // Whether these levels and `into` are large enough together.
  bool fits(const std::vector<std::size_t>& rare, std::size_t into) const {
    Counts sum(all_.size());
    if (into < levels_.size() && std::ranges::count(rare, into) == 0) add(levels_[into], sum);
    for (const std::size_t l : rare) add(levels_[l], sum);
    return large_enough(sum, all_, least_);
  }

  std::size_t commonest() const {
    std::size_t most = 0;
    for (std::size_t l = 1; l < levels_.size(); ++l)
      if (total(levels_[l]) > total(levels_[most])) most = l;
    return most;
  }

  std::vector<Counts> levels_;
  const Counts& all_;
  Index least_;
};

Counts count_labels(const RowsOfClients& all, std::size_t client) {
  Counts counts(std::max<std::size_t>(1, all.label_names.size()));
  for (const std::uint32_t row : all.rows.train[client]) ++counts[all.labels.empty() ? 0 : all.labels[row]];
  return counts;
}

// Pools one column over all clients.
void pool_column(const std::string& name, const RowsOfClients& all, Index least, Levels& levels,
                 std::vector<std::string>& notes) {
  std::vector<std::string> names = levels.names;
  const auto at = static_cast<std::size_t>(std::ranges::find(names, kOther) - names.begin());
  const bool has_other = at < names.size();
  if (!has_other && !levels.given) names.emplace_back(kOther);
  const Index other = has_other || !levels.given ? static_cast<Index>(at) : -1;
  std::set<std::string> pooled, used;
  std::size_t clients = 0;
  for (std::size_t i = 0; i < all.rows.train.size(); ++i) {
    const Counts labels = count_labels(all, i);
    std::vector<Counts> counts(levels.names.size(), Counts(labels.size()));
    for (const std::uint32_t row : all.rows.train[i])
      ++counts[levels.of_row[row]][all.labels.empty() ? 0 : all.labels[row]];
    std::vector<std::size_t> as = LevelPool(counts, labels, least).decide(other);
    // A level that only test rows have is not known to the model.
    const auto most = static_cast<std::size_t>(std::ranges::max_element(counts, {}, total) - counts.begin());
    for (std::size_t l = 0; l < as.size(); ++l)
      if (total(counts[l]) == 0) as[l] = as[most];
    bool any = false;
    for (const auto* rows : {&all.rows.train[i], &all.rows.test[i]})
      for (const std::uint32_t row : *rows) {
        std::uint32_t& level = levels.of_row[row];
        if (as[level] != level) pooled.insert(names[level]), any = true;
        level = static_cast<std::uint32_t>(as[level]);
        used.insert(names[level]);
      }
    clients += any ? 1 : 0;
  }
  if (!levels.given) {
    levels.names = sorted_levels({used.begin(), used.end()});
    for (std::uint32_t& level : levels.of_row) {
      const auto place = std::ranges::find(levels.names, names[level]);
      level = place == levels.names.end() ? 0 : static_cast<std::uint32_t>(place - levels.names.begin());
    }
  }
  if (pooled.empty()) return;
  notes.push_back(fmt::format(
      "column {}: {} {} fewer than {} training rows, alone or with one label, at {}; they count as {}the commonest "
      "level there (data.min_cell)",
      name, listed({pooled.begin(), pooled.end()}, 10), pooled.size() == 1 ? "has" : "have", least,
      all.rows.train.size() == 1 ? "this client" : fmt::format("{} clients", clients),
      other >= 0 ? "other where that is enough, else as " : ""));
}

// The numbers of one column at one client.
struct NumberColumn {
  Table& table;
  Index column, first, last;
  double& at(Index row) const { return table.x.data()[row * table.stride + column]; }
  Index rows() const { return last - first; }
};

// The first two values of a column, with how many rows of each label have them.
struct TwoValues {
  std::vector<double> values;
  std::vector<Counts> counts;
  bool more = false;  // whether there are others
};

TwoValues two_values(const NumberColumn& numbers, std::size_t classes) {
  TwoValues found;
  const Numbers& y = numbers.table.y;
  for (Index r = numbers.first; r < numbers.last && !found.more; ++r) {
    const auto at = static_cast<std::size_t>(std::ranges::find(found.values, numbers.at(r)) - found.values.begin());
    if (at == 2) found.more = true;
    if (at == 2) break;
    if (at == found.values.size()) {
      found.values.push_back(numbers.at(r));
      found.counts.emplace_back(std::max<std::size_t>(1, classes));
    }
    ++found.counts[at][classes == 0 ? 0 : static_cast<std::size_t>(y[static_cast<std::size_t>(r)])];
  }
  return found;
}

// Returns the commonest value, the smallest of several, if so few rows have another one that it matters.
double commonest(const NumberColumn& numbers, Index least) {
  if (numbers.rows() < 2 * least) {
    std::map<double, Index> counts;
    for (Index r = numbers.first; r < numbers.last; ++r) ++counts[numbers.at(r)];
    return std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; })->first;
  }
  // More than half of the rows have it, so that it is left over if rows with different values leave in pairs.
  double value = numbers.at(numbers.first);
  Index left = 0;
  for (Index r = numbers.first; r < numbers.last; ++r) {
    if (left == 0) value = numbers.at(r);
    left += numbers.at(r) == value ? 1 : -1;
  }
  return value;
}

// Returns what all numbers of the column are to be, if they are too rare beside the commonest one.
std::optional<double> pooled_number(const NumberColumn& numbers, std::size_t classes, Index least) {
  const TwoValues two = two_values(numbers, classes);
  if (!two.more && two.values.size() < 2) return std::nullopt;
  if (!two.more) {
    Counts all = two.counts[0];
    add(two.counts[1], all);
    if (large_enough(two.counts[0], all, least)) return std::nullopt;
    return two.values[total(two.counts[1]) > total(two.counts[0]) ? 1 : 0];
  }
  const double value = commonest(numbers, least);
  Index apart = 0;
  for (Index r = numbers.first; r < numbers.last; ++r) apart += numbers.at(r) == value ? 0 : 1;
  return apart > 0 && apart < least ? std::optional(value) : std::nullopt;
}

}  // namespace

void check_labels(const RowsOfClients& all, Index least) {
  Problems problems;
  for (std::size_t i = 0; i < all.rows.train.size() && !all.labels.empty(); ++i) {
    const Counts counts = count_labels(all, i);
    for (std::size_t y = 0; y < counts.size(); ++y)
      if (counts[y] > 0 && counts[y] < least)
        problems.add(all.rows.train.size() == 1 ? all.where : fmt::format("{}: client {}", all.where, all.clients[i]),
                     fmt::format("found {} training rows with the label {}, accepted: none, or at least {} "
                                 "(data.min_cell)",
                                 counts[y], in_quotes(all.label_names[y]), least));
  }
  problems.raise();
}

void pool_levels(const RawTable& table, const RowsOfClients& all, const DataSpec& spec, Encoding& encoding,
                 std::vector<std::string>& notes) {
  for (Feature& feature : encoding.features)
    if (feature.text) pool_column(table.columns[feature.column].name, all, spec.min_cell, feature.levels, notes);
  lay_out(table, spec, encoding);
}

void pool_numbers(const Encoding& encoding, const DataSpec& spec, Federation& federation) {
  const Index first = federation.intercept ? 1 : 0;
  std::vector<bool> indicator(static_cast<std::size_t>(encoding.width));
  for (const Feature& feature : encoding.features)
    for (Index j = 0; feature.text && j < std::ssize(feature.levels.names) - 1; ++j)
      indicator[static_cast<std::size_t>(feature.offset + j)] = true;
  for (std::size_t j = 0; j < indicator.size(); ++j) {
    if (indicator[j]) continue;
    Index clients = 0;
    for (std::size_t i = 0; i + 1 < federation.train_begin.size(); ++i) {
      const NumberColumn numbers{federation.train, first + static_cast<Index>(j), federation.train_begin[i],
                                 federation.train_begin[i + 1]};
      const auto value = pooled_number(numbers, federation.class_names.size(), spec.min_cell);
      if (!value) continue;
      ++clients;
      for (Index r = numbers.first; r < numbers.last; ++r) numbers.at(r) = *value;
    }
    if (clients > 0)
      federation.notes.push_back(
          fmt::format("column {}: at {} fewer than {} training rows, alone or with one label, differ from the "
                      "commonest value, which "
                      "all rows take there (data.min_cell)",
                      federation.feature_names[static_cast<std::size_t>(first) + j],
                      federation.clients() == 1 ? "this client" : fmt::format("{} clients", clients), spec.min_cell));
  }
}

}  // namespace pollen::data
