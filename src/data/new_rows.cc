// Encodes rows that arrive after training like the training rows.
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
