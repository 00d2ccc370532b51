#include "data/column_handshake.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "data/phrases.h"
#include "data/site_doubts.h"
#include "encode.h"
#include "pollen/errors.h"
#include "tables.h"

namespace pollen {

namespace {

std::vector<std::string> in_order(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return names;
}

template <class Said>
bool everybody(const std::vector<std::optional<Said>>& said) {
  return std::ranges::all_of(said, [](const auto& one) { return one.has_value(); });
}

template <class Said>
std::vector<Said> values_of_all(const std::vector<std::optional<Said>>& said) {
  std::vector<Said> all;
  for (const auto& one : said) all.push_back(*one);
  return all;
}

// Whether so many rows can have such a sum and such squares about their mean, and all clients' together stay finite.
bool sums_fit(double count, double sum, double squares) {
  constexpr double kMost = 1e145;
  return std::abs(sum) <= kMost * count && squares >= 0 && squares <= 4 * kMost * kMost * count;
}

// Joins the levels of all clients, whose columns are the same. Levels that the configuration lists keep its order.
ColumnFacts with_all_levels(const std::vector<std::optional<ColumnFacts>>& clients, const DataSpec& spec) {
  ColumnFacts all = *clients.front();
  for (auto& [name, levels] : all.levels) {
    std::set<std::string> once;
    for (const auto& facts : clients) once.insert(facts->levels.at(name).begin(), facts->levels.at(name).end());
    const auto given = spec.levels.find(name);
    levels = given != spec.levels.end() ? data::given_levels(given->second)
                                        : data::sorted_levels({once.begin(), once.end()});
  }
  return all;
}

}  // namespace

std::string column_difference(const ColumnFacts& expected, const ColumnFacts& found, const std::string& whose) {
  if (in_order(found.columns) != in_order(expected.columns))
    return fmt::format("found the columns {}, accepted: {}, which {}", data::listed(found.columns, 10),
                       data::listed(expected.columns, 10), whose);
  if (found.target != expected.target)
    return fmt::format("found the target \"{}\", accepted: \"{}\", which {}", found.target, expected.target, whose);
  if (found.width != expected.width)
    return fmt::format("found {} features, accepted: {}, which {}", found.width, expected.width, whose);
  for (const auto& [name, levels] : expected.levels)
    if (!found.levels.contains(name))
      return fmt::format("found numbers in column \"{}\", accepted: text, which {}", name, whose);
  for (const auto& [name, levels] : found.levels)
    if (!expected.levels.contains(name))
      return fmt::format("found text in column \"{}\", accepted: numbers, which {}", name, whose);
  return {};
}

bool same_columns(const SiteFacts& a, const SiteFacts& b) {
  return a.features == b.features && a.classes == b.classes && a.feature_names == b.feature_names &&
         a.class_names == b.class_names && a.curvature_is_bound == b.curvature_is_bound && a.scaling == b.scaling;
}

ColumnHandshake::ColumnHandshake(DataSpec spec, TargetKind target, std::size_t clients)
    : spec_(std::move(spec)), target_(target), columns_(clients), moments_(clients) {}

std::string ColumnHandshake::take(std::size_t client, ColumnFacts facts) {
  if (!layout) {
    columns_[client] = std::move(facts);
    return {};
  }
  const std::string begun = "its columns or levels are not those the run began with: ";
  if (const std::string why = column_difference(*layout, facts, "the run began with"); !why.empty()) return begun + why;
  for (const auto& [name, levels] : facts.levels) {
    const std::vector<std::string>& agreed = layout->levels.at(name);
    const std::set<std::string_view> known(agreed.begin(), agreed.end());
    for (const std::string& level : levels)
      if (!known.contains(level))
        return fmt::format("{}found {} in column \"{}\", accepted: what some client had there then", begun,
                           data::in_quotes(level), name);
  }
  columns_[client] = std::move(facts);  // a server that was restarted has not heard it before
  return {};
}

std::string ColumnHandshake::take(std::size_t client, ColumnMoments moments) {
  const PooledColumns all = pooled_columns();
  const std::size_t columns = all.names.size();
  if (moments.sum.size() != columns || moments.squares.size() != columns)
    return fmt::format(
        "its sums for standardisation are of another number of columns: found {} sums and {} squares, accepted: {} of "
        "each",
        moments.sum.size(), moments.squares.size(), columns);
  constexpr double kMostRows = 4294967296.0;
  if (!(moments.count >= 1 && moments.count <= kMostRows))
    return fmt::format("its sums for standardisation are not numbers: found {} rows, accepted: 1 to {}", moments.count,
                       kMostRows);
  if (moments.target.size() != (spec_.target_moments ? 2U : 0U) ||
      (!moments.target.empty() && !sums_fit(moments.count, moments.target[0], moments.target[1])))
    return fmt::format("its sums of the target cannot be used: found {} numbers, accepted: {} of values below 1e145",
                       moments.target.size(), spec_.target_moments ? 2 : 0);
  const bool used = standardizes(spec_, target_) || spec_.column_moments;
  for (std::size_t j = 0; j < columns && used; ++j)
    if (!sums_fit(moments.count, moments.sum[j], moments.squares[j]))
      return fmt::format(
          "its sums for standardisation are not numbers: found values in column {} that are too large, accepted: below "
          "1e145, or data.standardize = false with model.prior = \"normal\"",
          all.names[j]);
  moments_[client] = std::move(moments);
  return {};
}

void ColumnHandshake::forget(std::size_t client) {
  columns_[client].reset();
  moments_[client].reset();
}

std::map<std::size_t, std::string> ColumnHandshake::agree_on_layout(const std::vector<std::string>& names) {
  if (!everybody(columns_)) return {};
  const auto differs = [&](std::size_t from, std::size_t i, const std::string& whose) {
    return column_difference(*columns_[from], *columns_[i], whose);
  };
  std::map<std::size_t, std::string> odd;
  std::size_t like = 0;
  const auto same = [&](std::size_t i, std::size_t j) { return differs(i, j, "").empty(); };
  for (const std::size_t i : odd_clients(columns_.size(), same, like))
    odd[i] = "its columns are not those of the other clients: " + differs(like, i, "most clients' files have");
  if (!odd.empty()) return odd;
  Problems problems;
  for (std::size_t i = 1; i < columns_.size(); ++i)
    if (const std::string why = differs(0, i, "the first client's file has"); !why.empty())
      problems.add(fmt::format("client {}", names[i]), why);
  problems.raise();
  layout = with_all_levels(columns_, spec_);
  return {};
}

std::map<std::size_t, std::string> ColumnHandshake::agree(const std::vector<std::string>& names) {
  if (!layout) return agree_on_layout(names);
  if (scaling || !everybody(moments_)) return {};
  scaling = settled(pooled(values_of_all(moments_)), pooled_columns());
  return {};
}

PooledColumns ColumnHandshake::pooled_columns() const {
  RowLayout rows = layout_of(*layout, {}, spec_, target_);
  rows.intercept = false;
  return {*layout, rows.feature_names(), with_defaults(spec_), ""};
}

std::vector<std::string> ColumnHandshake::notes(const std::vector<std::string>& names) const {
  std::vector<std::string> notes;
  const auto add = [&](const std::vector<std::string>& more) { notes.insert(notes.end(), more.begin(), more.end()); };
  if (scaling) add(constant_notes(pooled_columns(), *scaling));
  if (everybody(columns_)) {
    const std::vector<ColumnFacts> all = values_of_all(columns_);
    add(level_doubts(all, names));
    add(label_doubts(all, spec_, names));
  }
  if (everybody(moments_)) add(unit_doubts(values_of_all(moments_), pooled_columns().names, names));
  return notes;
}

std::int64_t ColumnHandshake::level_bits() const {
  std::int64_t bits = 0;
  for (const auto& [column, levels] : layout->levels) {
    if (spec_.levels.contains(column)) continue;
    for (const std::string& level : levels) bits += std::ssize(columns_) * data::bits_of_level(level);
    for (const auto& facts : columns_)
      for (const std::string& level : facts->levels.at(column)) bits += data::bits_of_level(level);
  }
  return bits;
}

}  // namespace pollen
