#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "cell.h"
#include "data/phrases.h"
#include "encode.h"
#include "pollen/errors.h"
#include "readers.h"
#include "settle_cells.h"

namespace pollen::data {

namespace {

// Splits text into RFC 4180 records with quotes, doubled quotes and newlines inside quotes. Records end with \n, \r\n
// or \r; lines without cells are skipped. Fields are valid until the next record: they are views into the text, or into
// the scanner if a field had doubled quotes. Not thread-safe.
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
    while (at_ < text_.size() && blank_line()) end_of_line();
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
  char separator() const { return separator_; }
  std::size_t line() const { return record_line_; }  // the line on which the record began, counted from 1

 private:
  // The separator is what the first line has most often outside of quotes: a comma, else a semicolon, else a tab.
  void choose_separator() {
    const std::string_view first = text_.substr(0, text_.find_first_of("\r\n", text_.find_first_not_of("\r\n")));
    std::ptrdiff_t most = 0;
    for (const char separator : {',', ';', '\t'}) {
      bool quoted = false;
      const auto count = std::ranges::count_if(first, [&](char c) {
        quoted = quoted != (c == '"');
        return c == separator && !quoted;
      });
      if (count > most) most = count, separator_ = separator;
    }
  }

  bool at_line_end() const { return at_ == text_.size() || text_[at_] == '\n' || text_[at_] == '\r'; }

  // Returns whether the line has nothing but spaces, which are skipped then.
  bool blank_line() {
    const std::size_t end = std::min(text_.find_first_not_of(' ', at_), text_.size());
    if (end < text_.size() && text_[end] != '\n' && text_[end] != '\r') return false;
    at_ = end;
    return true;
  }

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

// The columns of a file, and for each field of a record the column that takes it: -1 for a field that is not read.
struct FileColumns {
  std::vector<Column> columns;
  std::vector<Index> of_field;
  std::vector<std::string> excluded;
};

FileColumns named_columns(const std::vector<std::string_view>& fields, const CsvOptions& options,
                          const std::string& file, std::size_t line) {
  Problems problems;
  FileColumns out;
  std::set<std::string> seen;
  for (std::size_t c = 0; c < fields.size(); ++c) {
    const std::string name = options.header ? std::string(fields[c]) : fmt::format("c{}", c + 1);
    const std::string where = fmt::format("{}: row {}", file, line);
    if (!is_utf8(name))
      problems.add(where, fmt::format("found bytes that are not UTF-8 in the name of column {}, accepted: UTF-8, as "
                                      "`iconv -f ISO-8859-1 -t UTF-8` makes it of Latin-1",
                                      c + 1));
    else if (name.empty() && !options.exclude.contains(name))
      problems.add(
          where, fmt::format("found no name for column {}, accepted: a name for each column, or data.exclude = [\"\"] "
                             "to leave it out, if it has the row names of R or the index of pandas",
                             c + 1));
    else if (!seen.insert(name).second && !name.empty())
      problems.add(where, fmt::format("found the column {} twice, accepted: different names", in_quotes(fields[c])));
    const bool read = !options.exclude.contains(name);
    out.of_field.push_back(read ? std::ssize(out.columns) : -1);
    if (!read) {
      out.excluded.push_back(name);
      continue;
    }
    Column& column = out.columns.emplace_back();
    column.name = name;
    column.as_text = options.categorical.contains(name);
  }
  problems.raise();
  if (out.columns.empty())
    throw ConfigError(file, "found no column besides those of data.exclude, accepted: at least one");
  return out;
}

// Refuses a header that looks like a row of data: it consists of numbers, or has a number with a fraction or an
// exponent, which no name is. Whole numbers beside names may be names, such as years.
void check_header(const std::vector<std::string_view>& fields, const std::string& file, std::size_t line) {
  std::size_t texts = 0, numbers = 0;
  std::string_view fraction;
  for (const std::string_view field : fields) {
    const CellKind kind = read_cell(field).kind;
    texts += kind == CellKind::text ? 1 : 0;
    numbers += kind == CellKind::number ? 1 : 0;
    if (kind == CellKind::number && field.find_first_of(".eE") != std::string_view::npos) fraction = field;
  }
  if (numbers == 0 || (texts > 0 && fraction.empty())) return;
  throw ConfigError(
      fmt::format("{}: row {}", file, line),
      fmt::format("found {} where the column names should be, accepted: a header row, or data.header = false",
                  texts == 0 ? "numbers" : fmt::format("the number {}", fraction)));
}

// Refuses a header of names that are cells of their own columns, as they are if it is a row of data such as
// 34,male,yes. A single name may be a level, too: smoker in a column of smoker and never.
void check_names(const RawTable& table, const std::string& file, std::size_t line) {
  std::size_t levels = 0, numbers = 0;
  for (const Column& column : table.columns) {
    const bool number = read_cell(column.name).kind == CellKind::number && !is_text(column);
    numbers += number ? 1 : 0;
    levels += !number && std::ranges::count(column.texts, column.name) > 0 ? 1 : 0;
  }
  if (levels + numbers < std::max<std::size_t>(2, table.columns.size()) && (levels == 0 || numbers == 0)) return;
  throw ConfigError(fmt::format("{}: row {}", file, line),
                    "found the cells of a row where the column names should be, accepted: a header row, or data.header "
                    "= false");
}

}  // namespace

RawTable parse_csv(std::string_view text, const CsvOptions& options, const std::string& file) {
  CsvScanner scanner(text, file);
  std::vector<std::string_view> fields;
  if (!scanner.next(fields)) throw ConfigError(file, "found an empty file, accepted: a file with rows");
  RawTable table;
  table.files = {file};
  const std::size_t first_line = scanner.line();
  if (options.header) check_header(fields, file, first_line);
  const std::vector<std::string> header(fields.begin(), fields.end());
  auto [columns, of_field, excluded] = named_columns(fields, options, file, scanner.line());
  table.columns = std::move(columns);
  table.excluded = std::move(excluded);
  Problems problems;
  bool more = !options.header || scanner.next(fields);
  while (more && !problems.full() && (options.limit == 0 || std::ssize(table.rows) < options.limit)) {
    const auto line = static_cast<std::uint32_t>(scanner.line());
    if (fields.size() != of_field.size()) {
      problems.add(fmt::format("{}: row {}", file, line),
                   fmt::format("found {} fields, accepted: {}", fields.size(), of_field.size()));
    } else if (options.header && fields.size() > 1 && std::ranges::equal(fields, header)) {
      problems.add(fmt::format("{}: row {}", file, line), "found the header again, accepted: rows after one header");
    } else {
      for (std::size_t c = 0; c < fields.size(); ++c)
        if (of_field[c] >= 0) table.columns[static_cast<std::size_t>(of_field[c])].add_cell(fields[c]);
      table.rows.push_back({0, static_cast<std::uint32_t>(table.rows.size()), line});
    }
    more = scanner.next(fields);
  }
  problems.raise();
  if (table.rows.empty()) throw ConfigError(file, "found a header and no rows, accepted: at least one row");
  if (options.header) check_names(table, file, first_line);
  settle_cells(scanner.separator(), table);
  return table;
}

void each_csv_row(std::string_view text, const std::string& file, const VisitCells& visit) {
  CsvScanner scanner(text, file);
  std::vector<std::string_view> fields;
  while (scanner.next(fields)) visit(scanner.line(), fields);
}

DataFormat csv_format() {
  return {"csv", "text with one row per line and a header; text columns become indicators",
          "target features exclude categorical levels header",
          [](const std::string& name) {
            return name.ends_with(".csv") || name.ends_with(".tsv") || name.ends_with(".data") ||
                   name.ends_with(".txt");
          },
          [](const DataFile& file) {
            const DataSpec& spec = file.spec;
            CsvOptions options{spec.header,
                               {spec.categorical.begin(), spec.categorical.end()},
                               spec.limit,
                               {spec.exclude.begin(), spec.exclude.end()}};
            for (const auto& [column, levels] : spec.levels) options.categorical.insert(column);
            const FileText text(file.path, std::max(kMostBytes, static_cast<std::size_t>(spec.most_cells)));
            return parse_csv(text.text(), options, file.path);
          }};
}

}  // namespace pollen::data
