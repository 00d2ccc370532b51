// Encodes rows that arrive after training like the training rows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "data/row_layout.h"
#include "like_rows.h"
#include "pollen/errors.h"
#include "tables.h"

namespace pollen {

namespace {

void scale_and_fill(const RowLayout& layout, Table& table) {
  const Index first = layout.intercept ? 1 : 0;
  for (Index r = 0; r < table.rows; ++r) {
    double* x = table.x.data() + r * table.stride + first;
    for (std::size_t j = 0; j < static_cast<std::size_t>(table.columns - first); ++j) {
      if (std::isnan(x[j]))
        x[j] = layout.fill[j];
      else if (!layout.mean.empty())
        x[j] = (x[j] - layout.mean[j]) / layout.sd[j];
    }
  }
}

}  // namespace

std::vector<std::string> extrapolations(const Table& rows, const RowLayout& layout, const std::string& file) {
  constexpr double kFar = 8;
  std::vector<std::string> notes, numeric;
  if (layout.mean.empty()) return notes;
  for (const LayoutColumn& column : layout.columns)
    if (column.levels.empty() && !column.constant) numeric.push_back(column.name);
  const std::vector<std::string> names = layout.feature_names();
  for (Index j = layout.intercept ? 1 : 0; j < rows.columns; ++j) {
    const std::string& name = names[static_cast<std::size_t>(j)];
    if (std::ranges::count(numeric, name) == 0) continue;
    const auto k = static_cast<std::size_t>(j - (layout.intercept ? 1 : 0));
    const double mean = layout.mean[k], sd = layout.sd[k];
    // Training rows know both values of a column of 0 and 1, however rare one of them is.
    const bool zero_or_one = std::abs(sd * sd - mean * (1 - mean)) < 1e-9;
    Index far = 0, farthest = 0;
    double most = 0;
    for (Index r = 0; r < rows.rows; ++r) {
      const double apart = rows.view().row(r)[j], value = mean + sd * apart;
      if (std::abs(apart) <= kFar || (zero_or_one && value > -0.5 && value < 1.5)) continue;
      ++far;
      if (std::abs(apart) > std::abs(most)) most = apart, farthest = r;
    }
    if (far > 0)
      notes.push_back(fmt::format(
          "{}: column {}: found {:.6g} (prediction {}{}), where the training rows have the mean {:.4g} and the sd "
          "{:.4g}: such predictions are extrapolations; is the column in another unit?",
          file, name, mean + sd * most, farthest + 1, far > 1 ? fmt::format(" and {} more", far - 1) : "", mean, sd));
  }
  return notes;
}

Table load_rows(const std::string& file, const RowLayout& layout, const LaterRows& options) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored))
    throw ConfigError(file, "found no such file, accepted: a file of rows as the run was trained with");
  DataSpec spec;
  spec.sources = {file};
  spec.header = layout.header;
  spec.labels = options.labels;
  spec.missing = layout.fill.empty() ? "error" : "mean";
  const bool csv = !layout.columns.empty() || file.ends_with(".csv") || file.ends_with(".csv.gz");
  spec.format = csv ? "csv" : layout.format;
  const TargetKind target = options.with_target ? layout.kind : TargetKind::none;
  const data::Example example{layout, target, "the run was trained with"};
  data::LikeRows rows(example, std::move(spec), "");
  const data::Encoding encoding = rows.encode();
  Table out;
  data::fill_table({rows.table(), encoding, layout.intercept, data::heap_memory}, out);
  data::leave_out(layout.dropped, layout.intercept ? 1 : 0, out);
  scale_and_fill(layout, out);
  return out;
}

Table load_rows(const std::string& file, const DataSpec& spec, const Federation& trained, TargetKind target) {
  return load_rows(file, layout_of(trained, spec, target), {target != TargetKind::none});
}

}  // namespace pollen
