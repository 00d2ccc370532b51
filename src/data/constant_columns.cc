#include "data/constant_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "data/column_handshake.h"
#include "data/phrases.h"
#include "pollen/errors.h"

namespace pollen {

namespace {

// A text column among the encoded columns: level l > 0 has the place first + l - 1.
struct TextColumn {
  std::string name;
  const std::vector<std::string>& levels;
  std::size_t first = 0, last = 0;
};

std::vector<TextColumn> text_columns(const ColumnFacts& facts) {
  std::vector<TextColumn> found;
  std::size_t place = 0;
  for (const std::string& name : facts.columns) {
    const auto known = facts.levels.find(name);
    const bool text = known != facts.levels.end() && !known->second.empty();
    const std::size_t count = text ? known->second.size() - 1 : 1;
    if (text) found.push_back({name, known->second, place, place + count});
    place += count;
  }
  return found;
}

// If no training row has the reference level of a text column, the columns of its other levels sum to 1, which is the
// intercept. The first of these levels that rows have then takes its place. Returns the places of such levels, rising.
std::vector<std::size_t> stand_ins(const ColumnScaling& pooled, const ColumnFacts& facts) {
  constexpr double kOne = 1 - 1e-11;  // a single row of fewer than 2^32 has a larger share
  std::vector<std::size_t> places;
  for (const TextColumn& column : text_columns(facts)) {
    double share = 0;  // of the rows that do not have the reference level
    for (std::size_t j = column.first; j < column.last; ++j) share += pooled.mean[j];
    std::size_t j = column.first;
    while (j < column.last && pooled.sd[j] == 0) ++j;
    if (share > kOne && j < column.last) places.push_back(j);
  }
  return places;
}

// What is left out, in words: why, for columns that are constant, and for levels that take the reference's place.
struct LeftOut {
  std::vector<std::pair<std::string, std::string>> constant;  // name and value; a single level encodes to nothing
  std::vector<std::array<std::string, 3>> stand_ins;          // column, reference level, the level in its place
};

LeftOut left_out(const PooledColumns& columns, const ColumnScaling& settled) {
  LeftOut out;
  const auto place_of = [&](std::size_t k) { return static_cast<std::size_t>(settled.dropped[k]); };
  const std::vector<TextColumn> texts = text_columns(columns.facts);
  for (const TextColumn& text : texts)
    if (text.levels.size() == 1) out.constant.emplace_back(text.name, data::in_quotes(text.levels.front()));
  for (std::size_t k = 0; k < settled.dropped.size(); ++k) {
    const double value = settled.constants[k];
    const auto inside = [&](const TextColumn& text) { return text.first <= place_of(k) && place_of(k) < text.last; };
    const auto text = std::ranges::find_if(texts, inside);
    if (text != texts.end() && value > 0 && value < 1)
      out.stand_ins.push_back({text->name, text->levels.front(), text->levels[place_of(k) - text->first + 1]});
    else
      out.constant.emplace_back(columns.names[place_of(k)], fmt::format("{:.10g}", value));
  }
  return out;
}

void refuse_constants(const PooledColumns& columns, const ColumnScaling& scaling) {
  Problems problems;
  const LeftOut found = left_out(columns, scaling);
  for (const auto& [name, value] : found.constant)
    problems.add(
        fmt::format("{}column {}", columns.where, name),
        fmt::format("found {} in all training rows, accepted: two values or more, data.constant = \"drop\", or "
                    "data.features without the column",
                    value));
  for (const auto& [name, reference, level] : found.stand_ins)
    problems.add(fmt::format("{}column {}", columns.where, name),
                 fmt::format("found no training row with its reference level {}, accepted: data.levels that begin with "
                             "a level that rows have, such as {}, or data.constant = \"drop\"",
                             data::in_quotes(reference), data::in_quotes(level)));
  problems.raise();
}

void check_standardized(const ColumnScaling& scaling, const std::vector<std::string>& kept,
                        const PooledColumns& columns) {
  Problems problems;
  for (const std::size_t j : unusable_columns(scaling))
    problems.add(fmt::format("{}column {}", columns.where, kept[j]),
                 fmt::format("found values too large to {}, accepted: below 1e150, or {}",
                             *columns.spec.standardize ? "standardize" : "take a prior's scale from",
                             *columns.spec.standardize ? "data.standardize = false" : "model.prior = \"normal\""));
  problems.raise();
}

// Takes out of a scaling what the spec says columns shall keep.
void keep_units(const DataSpec& spec, const std::vector<std::string>& names, ColumnScaling& scaling) {
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (!spec.centred || std::ranges::count(spec.keep_origin, names[j]) > 0) scaling.mean[j] = 0;
    if (std::ranges::count(spec.keep_scale, names[j]) > 0) scaling.sd[j] = 1;
  }
}

}  // namespace

bool pools_columns(const DataSpec& spec, TargetKind target) {
  return target != TargetKind::none &&
         (standardizes(spec, target) || with_defaults(spec).constant != "keep" || spec.column_moments);
}

bool keeps_raw_moments(const DataSpec& spec, bool standardized) {
  return spec.column_moments && (!standardized || !spec.keep_origin.empty());
}

ColumnScaling settled(const ColumnScaling& pooled, const PooledColumns& columns) {
  const DataSpec& spec = columns.spec;
  ColumnScaling out;
  out.target = pooled.target;
  std::vector<std::string> kept;
  const bool drops = spec.constant != "keep";
  const std::vector<std::size_t> replaced =
      drops && *spec.intercept ? stand_ins(pooled, columns.facts) : std::vector<std::size_t>();
  for (std::size_t j = 0; j < pooled.mean.size(); ++j) {
    const bool constant = pooled.sd[j] == 0;
    if (std::ranges::binary_search(replaced, j) || (constant && drops && (*spec.intercept || pooled.mean[j] == 0))) {
      out.dropped.push_back(static_cast<std::int64_t>(j));
      out.constants.push_back(pooled.mean[j]);
      continue;
    }
    kept.push_back(columns.names[j]);
    out.mean.push_back(constant ? 0 : pooled.mean[j]);
    out.sd.push_back(constant ? 1 : pooled.sd[j]);
  }
  if (spec.constant == "error") refuse_constants(columns, out);
  if (kept.empty() && !out.dropped.empty() && !*spec.intercept)
    throw ConfigError(columns.where + "data.features",
                      "found no column that differs between training rows, accepted: at least one, or data.intercept = "
                      "true");
  if (*spec.standardize || spec.column_moments) check_standardized(out, kept, columns);
  if (keeps_raw_moments(spec, *spec.standardize)) {
    out.raw_mean = out.mean;
    out.raw_sd = out.sd;
  }
  if (*spec.standardize)
    keep_units(spec, kept, out);
  else
    out.mean = out.sd = {};
  return out;
}

std::vector<std::string> constant_notes(const PooledColumns& columns, const ColumnScaling& settled) {
  if (columns.spec.constant == "keep") return {};
  constexpr std::size_t kMost = 20;
  const LeftOut found = left_out(columns, settled);
  std::vector<std::string> named, notes;
  for (const auto& [name, value] : found.constant) named.push_back(fmt::format("{} ({})", name, value));
  if (!named.empty())
    notes.push_back(
        fmt::format("left out, because all training rows have the same value there (data.constant = \"drop\"): {}",
                    data::listed(named, kMost)));
  for (const auto& [name, reference, level] : found.stand_ins)
    notes.push_back(
        fmt::format("no training row has {}={}, so {} takes its place as the reference level", name, reference, level));
  return notes;
}

namespace {

std::string numbers_fault(const std::vector<double>& mean, const std::vector<double>& sd, std::size_t count) {
  if (mean.size() != count || sd.size() != count)
    return fmt::format("found {} means and {} scales, accepted: {} of each", mean.size(), sd.size(), count);
  if (!unusable_columns({mean, sd}).empty())
    return "found means or scales that cannot be used, accepted: finite means and scales above 0";
  return {};
}

}  // namespace

std::string scaling_fault(const ColumnScaling& scaling, std::size_t columns, bool standardized, bool moments) {
  const std::vector<std::int64_t>& dropped = scaling.dropped;
  const bool rising = std::ranges::adjacent_find(dropped, std::ranges::greater_equal{}) == dropped.end();
  const bool inside = dropped.empty() || (dropped.front() >= 0 && dropped.back() < static_cast<std::int64_t>(columns));
  if (!rising || !inside || scaling.constants.size() != dropped.size() || dropped.size() > columns)
    return fmt::format(
        "found {} columns to leave out with {} values, accepted: rising places below {}, and a value "
        "for each",
        dropped.size(), scaling.constants.size(), columns);
  const std::size_t stay = columns - dropped.size();
  std::string why = numbers_fault(scaling.mean, scaling.sd, standardized ? stay : 0);
  return why.empty() ? numbers_fault(scaling.raw_mean, scaling.raw_sd, moments ? stay : 0) : why;
}

}  // namespace pollen
