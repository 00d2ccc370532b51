#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "cell.h"
#include "data/phrases.h"
#include "pollen/errors.h"
#include "readers.h"

namespace pollen::data {

namespace {

// Splits text into RFC 4180 records with quotes, doubled quotes and newlines inside quotes. Records end with \n, \r\n
// or \r; blank lines are skipped. Fields are valid until the next record: they are views into the text, or into the
// scanner if a field had doubled quotes. Not thread-safe.
class CsvScanner {
 public:
  CsvScanner(std::string_view text, const std::string& file) : text_(text), file_(file) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
    if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF"))
      throw ConfigError(file, "found UTF-16 text, accepted: UTF-8");
    if (text_.find('\0') != std::string_view::npos)
      throw ConfigError(file, "found binary data (a zero byte), accepted: csv text");
    choose_separator();
  }

  bool next(std::vector<std::string_view>& fields) {  // returns false at the end
    fields.clear();
    unquoted_.clear();
    while (at_ < text_.size() && at_line_end()) end_of_line();
    if (at_ == text_.size()) return false;
    record_line_ = line_;
    for (;;) {
      while (at_ < text_.size() && text_[at_] == ' ') ++at_;
      fields.push_back(at_ < text_.size() && text_[at_] == '"' ? quoted_field() : plain_field());
      if (at_line_end()) break;
      ++at_;  // skips the separator
    }
    end_of_line();
    return true;
  }
  std::size_t line() const { return record_line_; }  // the line on which the record began, counted from 1

 private:
  // Detects the separator in the first line: a comma, or else a semicolon, or else a tab.
  void choose_separator() {
    const std::string_view first = text_.substr(0, text_.find_first_of("\r\n", text_.find_first_not_of("\r\n")));
    for (const char separator : {'\t', ';', ','})
      if (first.find(separator) != std::string_view::npos) separator_ = separator;
  }

  bool at_line_end() const { return at_ == text_.size() || text_[at_] == '\n' || text_[at_] == '\r'; }

  void end_of_line() {
    if (at_ == text_.size()) return;
    if (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
    ++at_;
    ++line_;
  }

  std::string_view plain_field() {
    const std::size_t from = at_;
    while (!at_line_end() && text_[at_] != separator_) {
      if (text_[at_] == '"')
        fail("found a quote inside a field, accepted: quotes around the whole field, doubled inside");
      ++at_;
    }
    return trimmed(text_.substr(from, at_ - from));
  }

  std::string_view quoted_field() {
    const std::size_t from = ++at_;
    bool doubled = false;
    for (;; ++at_) {
      if (at_ == text_.size())
        fail("found a quote that is opened and never closed, accepted: quotes around the whole field");
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] != '"') continue;
      if (at_ + 1 == text_.size() || text_[at_ + 1] != '"') break;
      doubled = true;
      ++at_;
    }
    std::string_view field = text_.substr(from, at_ - from);
    ++at_;
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (!at_line_end() && text_[at_] != separator_)
      fail(fmt::format("found {} after a closing quote, accepted: a separator or the end of the line",
                       in_quotes(text_.substr(at_, 1))));
    if (!doubled) return field;
    std::string& text = unquoted_.emplace_back();
    for (std::size_t i = 0; i < field.size(); ++i) {
      text += field[i];
      if (field[i] == '"') ++i;
    }
    return text;
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw ConfigError(fmt::format("{}: row {}", file_, record_line_), why);
  }

  std::string_view text_;
  const std::string& file_;
  char separator_ = ',';
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t record_line_ = 1;
  std::deque<std::string> unquoted_;
};

std::vector<Column> named_columns(const std::vector<std::string_view>& fields, const CsvOptions& options,
                                  const std::string& file, std::size_t line) {
  Problems problems;
  std::vector<Column> columns(fields.size());
  std::set<std::string> seen;
  for (std::size_t c = 0; c < fields.size(); ++c) {
    columns[c].name = options.header ? std::string(fields[c]) : fmt::format("c{}", c + 1);
    columns[c].as_text = options.categorical.count(columns[c].name) > 0;
    const std::string where = fmt::format("{}: row {}", file, line);
    if (columns[c].name.empty())
      problems.add(where, fmt::format("found no name for column {}, accepted: a name for each column", c + 1));
    else if (!seen.insert(columns[c].name).second)
      problems.add(where, fmt::format("found the column {} twice, accepted: different names", in_quotes(fields[c])));
  }
  problems.raise();
  return columns;
}

// Refuses a header that consists of numbers, because such a file has no header.
void check_header(const std::vector<std::string_view>& fields, const std::string& file, std::size_t line) {
  const bool numbers = std::all_of(fields.begin(), fields.end(),
                                   [](std::string_view field) { return read_cell(field).kind != CellKind::text; });
  const bool any = std::any_of(fields.begin(), fields.end(),
                               [](std::string_view field) { return read_cell(field).kind == CellKind::number; });
  if (numbers && any)
    throw ConfigError(fmt::format("{}: row {}", file, line),
                      "found numbers where the column names should be, accepted: a header row, or data.header = false");
}

}  // namespace

RawTable parse_csv(std::string_view text, const CsvOptions& options, const std::string& file) {
  CsvScanner scanner(text, file);
  std::vector<std::string_view> fields;
  if (!scanner.next(fields)) throw ConfigError(file, "found an empty file, accepted: a file with rows");
  RawTable table;
  table.files = {file};
  if (options.header) check_header(fields, file, scanner.line());
  table.columns = named_columns(fields, options, file, scanner.line());
  Problems problems;
  bool more = !options.header || scanner.next(fields);
  while (more && !problems.full() && (options.limit == 0 || std::ssize(table.rows) < options.limit)) {
    const auto line = static_cast<std::uint32_t>(scanner.line());
    if (fields.size() != table.columns.size()) {
      problems.add(fmt::format("{}: row {}", file, line),
                   fmt::format("found {} fields, accepted: {}", fields.size(), table.columns.size()));
    } else {
      for (std::size_t c = 0; c < fields.size(); ++c) table.columns[c].add_cell(fields[c]);
      table.rows.push_back({0, static_cast<std::uint32_t>(table.rows.size()), line});
    }
    more = scanner.next(fields);
  }
  problems.raise();
  if (table.rows.empty()) throw ConfigError(file, "found a header and no rows, accepted: at least one row");
  return table;
}

DataFormat csv_format() {
  return {"csv", "text with one row per line and a header; text columns become indicators",
          "target features categorical levels header",
          [](const std::string& name) {
            return name.ends_with(".csv") || name.ends_with(".tsv") || name.ends_with(".data") ||
                   name.ends_with(".txt");
          },
          [](const DataFile& file) {
            const DataSpec& spec = file.spec;
            CsvOptions options{spec.header, {spec.categorical.begin(), spec.categorical.end()}, spec.limit};
            for (const auto& [column, levels] : spec.levels) options.categorical.insert(column);
            const FileText text(file.path, std::max(kMostBytes, static_cast<std::size_t>(spec.most_cells)));
            return parse_csv(text.text(), options, file.path);
          }};
}

}  // namespace pollen::data
