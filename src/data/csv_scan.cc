#include "csv_scan.h"

#include <fmt/format.h>

#include <algorithm>

#include "cell.h"
#include "phrases.h"
#include "pollen/errors.h"

namespace pollen::data {

CsvScanner::CsvScanner(std::string_view text, const std::string& file) : text_(text), file_(file) {
  if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF"))
    throw ConfigError(file, "found UTF-16 text, accepted: UTF-8");
  if (text_.find('\0') != std::string_view::npos)
    throw ConfigError(file, "found binary data (a zero byte), accepted: csv text");
  choose_separator();
}

// Detects the separator. If the first line has no comma, semicolons or tabs separate the fields.
void CsvScanner::choose_separator() {
  const std::string_view first = text_.substr(0, text_.find_first_of("\r\n", text_.find_first_not_of("\r\n")));
  if (first.find(',') != std::string_view::npos) return;
  if (first.find(';') != std::string_view::npos)
    separator_ = ';';
  else if (first.find('\t') != std::string_view::npos)
    separator_ = '\t';
}

bool CsvScanner::next(std::vector<std::string_view>& fields) {
  fields.clear();
  unquoted_.clear();
  skip_blank_lines();
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

void CsvScanner::skip_blank_lines() {
  while (at_ < text_.size() && at_line_end()) end_of_line();
}

void CsvScanner::end_of_line() {
  if (at_ == text_.size()) return;
  if (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
  ++at_;
  ++line_;
}

std::string_view CsvScanner::plain_field() {
  const std::size_t from = at_;
  while (!at_line_end() && text_[at_] != separator_) {
    if (text_[at_] == '"')
      fail("found a quote inside a field, accepted: quotes around the whole field, doubled inside");
    ++at_;
  }
  return trimmed(text_.substr(from, at_ - from));
}

std::string_view CsvScanner::quoted_field() {
  const std::size_t from = ++at_;
  bool doubled = false;
  for (;; ++at_) {
    if (at_ == text_.size()) fail("a quote is opened and never closed");
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

void CsvScanner::fail(const std::string& why) const {
  throw ConfigError(fmt::format("{}: row {}", file_, record_line_), why);
}

}  // namespace pollen::data
