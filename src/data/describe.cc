// Prints the table of `pollen data`: clients × classes in aligned columns.
#include <fmt/format.h>

#include <algorithm>

#include "data/phrases.h"
#include "pollen/data.h"

namespace pollen {

namespace {

constexpr std::size_t kWhole = 40;  // with more clients than this, the middle ones are left out
constexpr std::size_t kHead = 20;
constexpr std::size_t kTail = 5;
constexpr std::size_t kMostClasses = 30;

using Line = std::vector<std::string>;

std::size_t width_of(const std::string& text) {  // width in UTF-8 characters
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string aligned(const std::vector<Line>& lines) {
  std::vector<std::size_t> widths(lines.front().size());
  for (const Line& line : lines)
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], width_of(line[c]));
  std::string text;
  for (const Line& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) {
      const std::string pad(widths[c] - width_of(line[c]), ' ');
      text += c == 0 ? line[c] + (line.size() > 1 ? pad : "") : "  " + pad + line[c];
    }
    text += '\n';
  }
  return text;
}

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

std::string describe(const Federation& federation) {
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
  text += '\n' + aligned(lines);
  if (const Index pooled = federation.test.rows - federation.test_begin.back(); pooled > 0)
    text += fmt::format("{} test rows belong to no client (data.test_source)\n", pooled);
  if (federation.ood.rows > 0) text += fmt::format("{} rows from elsewhere (data.ood_source)\n", federation.ood.rows);
  if (federation.distill.rows > 0)
    text += fmt::format("{} rows that the server holds (data.distill_source)\n", federation.distill.rows);
  for (const std::string& note : federation.notes) text += fmt::format("note: {}\n", note);
  return text;
}

}  // namespace pollen
