#include "data/row_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "builtin.h"
#include "data/store.h"
#include "encode.h"
#include "sources.h"

namespace pollen {

namespace {

// Returns the labels that were merged into class 1. They come from data.positive; for a store only the names of its
// classes show them.
std::vector<std::string> positives(const RowLayout& layout, const DataSpec& spec) {
  if (layout.kind != TargetKind::binary || layout.labels == layout.classes) return {};
  if (!spec.positive.empty() && !is_store(spec)) return spec.positive;
  std::vector<std::string> out;
  const std::string among = fmt::format("|{}|", layout.classes.back());
  for (const std::string& label : layout.labels)
    if (among.find(fmt::format("|{}|", label)) != std::string::npos) out.push_back(label);
  return out;
}

// The numbers that a column becomes.
Index numbers_of(const LayoutColumn& column) { return column.levels.empty() ? 1 : std::ssize(column.levels) - 1; }

// Takes over which encoded columns were left out. A column of which nothing is left need not be in later files.
void leave_out_constants(const std::vector<std::int64_t>& dropped, RowLayout& layout) {
  if (layout.columns.empty()) layout.dropped = dropped;
  std::int64_t place = 0, gone = 0;  // among all encoded numbers, and how many of them belong to constant columns
  for (LayoutColumn& column : layout.columns) {
    const auto first = std::ranges::lower_bound(dropped, place),
               last = std::ranges::lower_bound(dropped, place + numbers_of(column));
    column.constant = first != last && last - first == numbers_of(column);
    place += numbers_of(column);
    if (column.constant)
      gone += numbers_of(column);
    else
      for (auto one = first; one != last; ++one) layout.dropped.push_back(*one - gone);
  }
}

std::string format_for(const Federation& trained, const DataSpec& spec) {
  if (!trained.layout.columns.empty()) return "csv";
  if (is_store(spec) || spec.sources.empty() || data::is_builtin(spec.sources.front())) return "";
  return data::format_of(spec, spec.sources.front(), "");
}

// Returns the prefix of the feature names of a format without columns, such as "x" of x1, x2, ...
std::string prefix_of(const Federation& trained) {
  const std::size_t first = trained.intercept ? 1 : 0;
  if (trained.feature_names.size() <= first) return "x";
  const std::string& name = trained.feature_names[first];
  return name.substr(0, name.find_first_of("0123456789"));
}

// Returns the mean of every encoded column, which replaced missing numbers. Sums are taken of differences from the
// first row, so that a constant column keeps its exact value. If other ranks hold rows as well, a scaled column still
// has mean 0, but nothing is known of the others.
std::vector<double> means(const Federation& trained) {
  const Table& train = trained.train;
  const bool partial = train.rows < trained.train_begin.back();
  if (train.rows == 0 || (partial && trained.scaling.mean.empty())) return {};
  const Index first = trained.intercept ? 1 : 0;
  std::vector<double> mean(static_cast<std::size_t>(train.columns - first));
  for (std::size_t j = 0; j < mean.size(); ++j) {
    const double origin = train.x[static_cast<std::size_t>(first) + j];
    double sum = 0;
    for (Index r = 0; r < train.rows; ++r) sum += train.view().row(r)[first + static_cast<Index>(j)] - origin;
    mean[j] = origin + sum / static_cast<double>(train.rows);
  }
  return mean;
}

}  // namespace

Index RowLayout::encoded() const {
  Index count = width - std::ssize(dropped);
  for (const LayoutColumn& column : columns)
    if (!column.constant) count += numbers_of(column);
  return count;
}

std::vector<std::string> RowLayout::feature_names() const {
  std::vector<std::string> names;
  if (intercept) names.emplace_back("intercept");
  std::int64_t place = 0;
  const auto add = [&](std::string name) {
    if (!std::ranges::binary_search(dropped, place++)) names.push_back(std::move(name));
  };
  for (Index j = 0; j < width; ++j) add(fmt::format("{}{}", prefix, j + 1));
  for (const LayoutColumn& column : columns) {
    if (column.constant) continue;
    if (column.levels.empty()) add(column.name);
    for (std::size_t l = 1; l < column.levels.size(); ++l) add(fmt::format("{}={}", column.name, column.levels[l]));
  }
  return names;
}

RowLayout layout_of(const Federation& trained, const DataSpec& spec, TargetKind kind) {
  RowLayout layout = layout_of(trained.layout, trained.scaling, spec, kind);
  layout.format = format_for(trained, spec);
  layout.header = spec.header || is_store(spec);
  layout.intercept = trained.intercept;
  layout.classes = layout.classifies() ? trained.class_names : std::vector<std::string>();
  if (trained.layout.columns.empty()) {
    layout.width = trained.train.columns - (trained.intercept ? 1 : 0) + std::ssize(layout.dropped);
    layout.prefix = prefix_of(trained);
  }
  layout.positive = positives(layout, spec);
  if (spec.missing == "mean" && !is_store(spec)) layout.fill = means(trained);
  return layout;
}

RowLayout layout_of(const ColumnFacts& agreed, const ColumnScaling& scaling, const DataSpec& spec, TargetKind kind) {
  RowLayout layout;
  layout.format = agreed.width > 0 ? spec.format : "csv";
  layout.header = spec.header;
  layout.kind = kind;
  layout.target = agreed.target;
  layout.width = agreed.width;
  layout.intercept = kind != TargetKind::none && *with_defaults(spec).intercept;
  layout.mean = scaling.mean;
  layout.sd = scaling.sd;
  for (const std::string& name : agreed.columns) {
    LayoutColumn& column = layout.columns.emplace_back(LayoutColumn{name});
    if (const auto known = agreed.levels.find(name); known != agreed.levels.end()) column.levels = known->second;
  }
  if (const auto known = agreed.levels.find(agreed.target); known != agreed.levels.end() && layout.classifies())
    layout.labels = known->second;
  leave_out_constants(scaling.dropped, layout);
  layout.classes = layout.labels;
  if (kind == TargetKind::binary && !spec.positive.empty()) {
    layout.positive = spec.positive;
    layout.classes = data::merged_labels(layout.labels, layout.positive);
  }
  return layout;
}

}  // namespace pollen
