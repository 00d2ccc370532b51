#include <fmt/format.h>

#include <algorithm>

#include "like_rows.h"
#include "tables.h"

namespace pollen::data {

Index missing_cells(const RawTable& table, const Roles& roles) {
  Index count = 0;
  for (const std::size_t c : roles.features) count += std::ranges::count(table.columns[c].code, Column::kMissing);
  return count;
}

Index add_given_rows(const PartitionInput& trained, TargetKind target, const TableMemory& memory,
                     Federation& federation) {
  const std::string& first = trained.table.files.front();
  RowLayout layout = layout_of(federation.layout, {}, trained.spec, target);
  layout.prefix = trained.table.prefix;
  Index missing = 0, rows = federation.train.rows + federation.test.rows;
  const auto add = [&](const std::string& path, TargetKind kind, Table& table) {
    if (path.empty()) return;
    DataSpec spec = trained.spec;
    spec.sources = {path};
    spec.labels = spec.test_labels;
    const Example example{layout, kind, first + " has"};
    LikeRows given(example, std::move(spec), trained.where);
    complete_cells(given.table(), given.roles(), given.spec(), federation.notes);
    rows += std::ssize(given.table().rows);
    check_dense(rows, federation.train.stride, trained.spec.most_cells, fmt::format("{} and {}", first, path));
    const Encoding encoding = given.encode();
    fill_table({given.table(), encoding, federation.intercept, memory}, table);
    missing += missing_cells(given.table(), given.roles());
  };
  add(trained.spec.test_source, target, federation.test);
  add(trained.spec.ood_source, TargetKind::none, federation.ood);
  add(trained.spec.distill_source, TargetKind::none, federation.distill);
  return missing;
}

}  // namespace pollen::data
