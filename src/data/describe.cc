// Prints the tables of `pollen data`: columns, and clients × classes.
#include <fmt/format.h>

#include <algorithm>

#include "column_table.h"
#include "data/phrases.h"
#include "encode.h"
#include "pollen/data.h"

namespace pollen {

namespace {

constexpr std::size_t kWhole = 40;  // with more clients than this, the middle ones are left out
constexpr std::size_t kHead = 20;
constexpr std::size_t kTail = 5;
constexpr std::size_t kMostClasses = 30;

using data::Line;

// Counts the training rows of each class among rows from..to-1.
std::vector<Index> class_counts(const Federation& federation, Index from, Index to) {
  std::vector<Index> counts(federation.class_names.size());
  if (counts.empty()) return counts;
  for (Index r = from; r < to; ++r) ++counts[static_cast<std::size_t>(federation.train.y[static_cast<std::size_t>(r)])];
  return counts;
}

Line counts_line(const Federation& federation, const std::string& name, std::size_t first, std::size_t last) {
  const Index from = federation.train_begin[first];
  const Index to = federation.train_begin[last];
  Line line{name, fmt::format("{}", to - from),
            fmt::format("{}", federation.test_begin[last] - federation.test_begin[first])};
  if (federation.class_names.size() > kMostClasses) return line;
  for (const Index count : class_counts(federation, from, to)) line.push_back(fmt::format("{}", count));
  return line;
}

}  // namespace

std::string describe(const Federation& federation, TargetKind target) {
  const auto clients = static_cast<std::size_t>(federation.clients());
  std::vector<Line> lines;
  Line& head = lines.emplace_back(Line{"client", "train", "test"});
  if (federation.class_names.size() <= kMostClasses)
    head.insert(head.end(), federation.class_names.begin(), federation.class_names.end());
  for (std::size_t i = 0; i < clients; ++i) {
    if (clients > kWhole && i == kHead) {
      lines.push_back({"..."});
      i = clients - kTail;
    }
    lines.push_back(counts_line(federation, federation.client_names[i], i, i + 1));
  }
  lines.push_back(counts_line(federation, "total", 0, clients));
  lines.back()[2] = fmt::format("{}", federation.test.rows);
  std::string text =
      fmt::format("{} client{}, {} feature{}: {}\n", clients, clients == 1 ? "" : "s", federation.feature_names.size(),
                  federation.feature_names.size() == 1 ? "" : "s", data::listed(federation.feature_names, 12));
  if (federation.class_names.size() > kMostClasses)
    text += fmt::format("{} classes: {}\n", federation.class_names.size(), data::listed(federation.class_names, 12));
  if (const std::string columns = data::column_table(federation.columns, federation.layout); !columns.empty())
    text += '\n' + columns;
  if (target == TargetKind::binary) text += data::event_line(federation.layout, federation.class_names);
  text += '\n' + data::aligned(lines, {});
  if (const Index pooled = federation.test.rows - federation.test_begin.back(); pooled > 0)
    text += fmt::format("{} test rows belong to no client (data.test_source)\n", pooled);
  if (federation.ood.rows > 0) text += fmt::format("{} rows from elsewhere (data.ood_source)\n", federation.ood.rows);
  if (federation.distill.rows > 0)
    text += fmt::format("{} rows that the server holds (data.distill_source)\n", federation.distill.rows);
  for (const std::string& note : federation.notes) text += fmt::format("note: {}\n", note);
  return text;
}

std::string describe_unusable(const std::string& file, const DataSpec& spec, TargetKind target) {
  ColumnFacts layout;
  layout.target = spec.target;
  const std::vector<ColumnSummary> cells = cells_of_file(file, spec, target);
  return fmt::format("{}: {} rows\n{}", file, cells.empty() ? 0 : cells.front().rows,
                     data::column_table(cells, layout));
}

std::string describe_file(const std::string& file, const DataSpec& spec, TargetKind target) {
  const FileFacts facts = file_facts(file, spec, target);
  const ColumnFacts& columns = facts.columns;
  std::string text =
      fmt::format("{}: {} rows\n{}", file, facts.rows + facts.test_rows, data::column_table(facts.cells, columns));
  if (target == TargetKind::binary) {
    const std::vector<std::string>& labels = columns.levels.at(columns.target);
    text += data::event_line(columns, spec.positive.empty() ? labels : data::merged_labels(labels, spec.positive));
    if (spec.positive.empty() && !spec.levels.contains(columns.target))
      text += "The labels of all clients together decide, of which these are one client's.\n";
  }
  for (const std::string& note : facts.notes) text += fmt::format("note: {}\n", note);
  return text;
}

}  // namespace pollen
